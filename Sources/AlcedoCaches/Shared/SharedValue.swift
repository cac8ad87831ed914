import CCrypto
package import Foundation

/// A value of a shared cache, with what it takes to trust it.
///
/// Integers are big-endian, times are milliseconds since 1970:
///
///     magic "ALSV" · version 1 · kind 1 · SHA-256 of the name 32 · stored 8 · soft expiry 8 · expiry 8
///     lengths of type 1, ETag 2, head 4, body 4 · type · ETag · head · body · HMAC-SHA256 of all this 32
package struct SharedValue: Sendable, Equatable {
    package enum Kind: UInt8, Sendable {
        case original = 0
        case image = 1

        /// Why the source has failed.
        case failure = 2
    }

    /// What is wrong with bytes that are no value of this name.
    enum Flaw: Error {
        case format, name, signature
    }

    package var kind: Kind
    package var stored: Date

    /// From then on whoever reads the value should load the source again.
    package var softExpiry: Date
    package var expiry: Date

    /// The format of the body, such as `jpeg`; for people who look into a store.
    var type = ""
    package var etag = ""

    /// The record of the response that the body was created from; empty if freshness is not respected.
    package var head = Data()
    package var body: Data

    private static let magic = Array("ALSV".utf8)
    private static let version: UInt8 = 1
    private static let signatureLength = 32
    private static let headLimit = 64 << 10

    /// The bytes for the name `name`, signed with `secret`.
    func sealed(name: String, secret: Data) -> Data {
        let type = type.utf8.prefix(255)
        let etag = etag.utf8.count <= 1024 ? Array(etag.utf8) : []
        let head = head.count <= Self.headLimit ? head : Data()
        var bytes = Data(capacity: 128 + type.count + etag.count + head.count + body.count)
        bytes += Self.magic
        bytes.append(Self.version)
        bytes.append(kind.rawValue)
        bytes += Self.hash(name)
        for date in [stored, softExpiry, expiry] { bytes.append(bigEndian: Self.milliseconds(date)) }
        bytes.append(UInt8(type.count))
        bytes.append(bigEndian: UInt16(etag.count))
        bytes.append(bigEndian: UInt32(head.count))
        bytes.append(bigEndian: UInt32(truncatingIfNeeded: body.count))
        bytes += type
        bytes += etag
        bytes += head
        bytes += body
        bytes += Self.signature(of: bytes, secret)
        return bytes
    }

    /// The value in `bytes`, which must be of this name and signed with one of `secrets`.
    init(_ bytes: Data, name: String, secrets: [Data]) throws(Flaw) {
        guard bytes.count > Self.signatureLength else { throw .format }
        let content = bytes.dropLast(Self.signatureLength)
        let signature = Array(bytes.suffix(Self.signatureLength))
        var reader = BytesReader(content)
        guard reader.take(4).map(Array.init) == Self.magic, reader.integer(UInt8.self) == Self.version
        else { throw .format }
        // Before anything else is believed.
        guard secrets.contains(where: { Self.equal(Self.signature(of: content, $0), signature) })
        else { throw .signature }
        guard let kind = reader.integer(UInt8.self).flatMap(Kind.init),
            let hash = reader.take(32), let stored = reader.integer(Int64.self),
            let soft = reader.integer(Int64.self), let expiry = reader.integer(Int64.self),
            let typeLength = reader.integer(UInt8.self), let etagLength = reader.integer(UInt16.self),
            let headLength = reader.integer(UInt32.self), let bodyLength = reader.integer(UInt32.self),
            let type = reader.take(Int(typeLength)), let etag = reader.take(Int(etagLength)),
            let head = reader.take(Int(headLength)), let body = reader.take(Int(bodyLength)),
            reader.isAtEnd
        else { throw .format }
        guard Array(hash) == Self.hash(name) else { throw .name }
        self.kind = kind
        (self.stored, softExpiry, self.expiry) = (Self.date(stored), Self.date(soft), Self.date(expiry))
        self.type = String(decoding: type, as: UTF8.self)
        self.etag = String(decoding: etag, as: UTF8.self)
        (self.head, self.body) = (Data(head), Data(body))
    }

    init(kind: Kind, stored: Date, softExpiry: Date, expiry: Date, body: Data) {
        (self.kind, self.stored, self.softExpiry, self.expiry) = (kind, stored, softExpiry, expiry)
        self.body = body
    }

    private static func milliseconds(_ date: Date) -> Int64 {
        Int64(min(max(date.timeIntervalSince1970 * 1000, -9e15), 9e15))
    }

    private static func date(_ milliseconds: Int64) -> Date {
        Date(timeIntervalSince1970: Double(milliseconds) / 1000)
    }

    private static func hash(_ name: String) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 32)
        let bytes = Array(name.utf8)
        _ = EVP_Digest(bytes, bytes.count, &digest, nil, OpaquePointer(bitPattern: sha256), nil)
        return digest
    }

    private static func signature(of bytes: Data, _ secret: Data) -> [UInt8] {
        var code = [UInt8](repeating: 0, count: signatureLength)
        var length: UInt32 = 0
        // Never nil, which would mean the key of the call before.
        let key = Array(secret) + [0]
        bytes.withUnsafeBytes { input in
            let content = input.bindMemory(to: UInt8.self)
            _ = HMAC(
                OpaquePointer(bitPattern: sha256), key, Int32(key.count - 1), content.baseAddress,
                content.count, &code, &length)
        }
        return code
    }

    /// Takes the same time for any difference.
    private static func equal(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        left.count == right.count && CRYPTO_memcmp(left, right, left.count) == 0
    }
}

extension Data {
    fileprivate mutating func append(bigEndian value: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: value.bigEndian) { append(contentsOf: $0) }
    }
}

/// Reads parts of bytes, one after another.
private struct BytesReader {
    private var rest: Data

    init(_ bytes: Data) { rest = bytes }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func take(_ count: Int) -> Data? {
        guard count <= rest.count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    mutating func integer<Value: FixedWidthInteger>(_ type: Value.Type) -> Value? {
        take(Value.bitWidth / 8).map {
            $0.reduce(Value(0)) { Value(truncatingIfNeeded: $0 << 8) | Value($1) }
        }
    }
}
