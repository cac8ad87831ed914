import Foundation

/// Names a value of a shared cache, apart from namespace and epoch.
package struct SharedKey: Sendable, Hashable {
    package enum Kind: String, Sendable {
        /// The bytes of a source.
        case original = "o"

        /// An image as its serializer has encoded it.
        case image = "i"
    }

    package let kind: Kind

    /// SHA-256 in hexadecimal.
    package let digest: String

    package init(_ kind: Kind, of key: String, identifier: String = "", forcedExtension: String? = nil) {
        self.kind = kind
        // With lengths, so that no two lists of parts make the same text.
        let parts = [kind.rawValue, key, identifier, forcedExtension ?? ""]
        digest = sha256Hex(parts.map { "\($0.utf8.count):\($0)" }.joined())
    }
}

/// The prefix of all names in the store: schema, namespace, epoch.
package struct SharedPrefix: Sendable, Equatable {
    /// Changes when the format of values does, so that versions of this library don't see each other's.
    static let schema = "al1"

    let text: String

    init(namespace: String, epoch: Int) {
        text = "\(Self.schema):\(Self.safe(namespace)):\(epoch):"
    }

    func name(of key: SharedKey) -> String { text + key.digest }

    /// The name of the lease for loading a value.
    func leaseName(of key: SharedKey) -> String { "L:" + name(of: key) }

    /// The name of the epoch of a namespace.
    static func epochName(namespace: String) -> String { "\(schema):\(safe(namespace)):epoch" }

    private static func safe(_ namespace: String) -> String {
        let isSafe = namespace.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"),
                UInt8(ascii: "_"):
                true
            default: false
            }
        }
        return isSafe && (1...64).contains(namespace.utf8.count)
            ? namespace : String(sha256Hex(namespace).prefix(32))
    }
}
