import Foundation
import Testing

@testable import Alcedo
@testable import AlcedoCaches

struct `A shared value` {
    let name = "al1:default:1:" + String(repeating: "a", count: 64)
    let secret = Data("secret".utf8)

    private var value: SharedValue {
        var value = SharedValue(
            kind: .image, stored: Date(timeIntervalSince1970: 1_000.5),
            softExpiry: Date(timeIntervalSince1970: 2_000), expiry: Date(timeIntervalSince1970: 3_000),
            body: Data([1, 2, 3, 255]))
        (value.type, value.etag, value.head) = ("png", "\"é\"", Data("{}".utf8))
        return value
    }

    @Test func `a shared value is read as it was written`() throws {
        let bytes = value.sealed(name: name, secret: secret)
        #expect(try SharedValue(bytes, name: name, secrets: [secret]) == value)
        // Slices have other indices.
        let slice = (Data([0, 0]) + bytes).dropFirst(2)
        #expect(try SharedValue(slice, name: name, secrets: [secret]) == value)
        let empty = SharedValue(kind: .original, stored: .now, softExpiry: .now, expiry: .now, body: Data())
        let sealed = empty.sealed(name: name, secret: Data())
        #expect(try SharedValue(sealed, name: name, secrets: [Data()]).body.isEmpty)
    }

    @Test func `a shared value is rejected with any bit flipped, and cut off anywhere`() {
        let bytes = value.sealed(name: name, secret: secret)
        for index in bytes.indices {
            for bit in 0..<8 {
                var damaged = bytes
                damaged[index] ^= 1 << bit
                #expect(throws: SharedValue.Flaw.self) {
                    try SharedValue(damaged, name: name, secrets: [secret])
                }
            }
            #expect(throws: SharedValue.Flaw.self) {
                try SharedValue(bytes.prefix(index), name: name, secrets: [secret])
            }
        }
        #expect(throws: SharedValue.Flaw.self) {
            try SharedValue(bytes + [0], name: name, secrets: [secret])
        }
    }

    @Test func `a shared value is rejected under another name, and with another secret`() {
        let bytes = value.sealed(name: name, secret: secret)
        #expect(throws: SharedValue.Flaw.name) {
            try SharedValue(bytes, name: name + "b", secrets: [secret])
        }
        #expect(throws: SharedValue.Flaw.signature) {
            try SharedValue(bytes, name: name, secrets: [Data("other".utf8), Data()])
        }
    }

    @Test func `a shared value is accepted with either secret while they are rotated`() throws {
        let new = Data("new".utf8)
        for bytes in [secret, new].map({ value.sealed(name: name, secret: $0) }) {
            #expect(try SharedValue(bytes, name: name, secrets: [new, secret]) == value)
        }
    }
}

struct `Names in a shared store` {
    @Test func `names in a shared store are short and of visible ASCII, whatever the key is`() {
        for key in ["a b", String(repeating: "x", count: 3_000), "https://é.example/ü?q=\n", ""] {
            for namespace in ["default", "two words", String(repeating: "n", count: 65), "ü", ""] {
                let prefix = SharedPrefix(namespace: namespace, epoch: .max)
                let shared = SharedKey(.image, of: key, identifier: "processor(é)", forcedExtension: "png")
                for name in [prefix.name(of: shared), prefix.leaseName(of: shared)] {
                    #expect((1...250).contains(name.utf8.count))
                    #expect(name.utf8.allSatisfy { $0 > 32 && $0 < 127 })
                }
            }
        }
    }

    @Test func `names in a shared store differ for all that makes a difference`() {
        let keys = [
            SharedKey(.original, of: "a"), SharedKey(.image, of: "a"), SharedKey(.image, of: "b"),
            SharedKey(.image, of: "a", identifier: "b"), SharedKey(.image, of: "ab"),
            SharedKey(.image, of: "a", forcedExtension: "b"), SharedKey(.image, of: "a1:b"),
        ]
        #expect(Set(keys.map(\.digest)).count == keys.count)
        let key = keys[0]
        let names = [("a", 1), ("a", 2), ("b", 1), ("b b", 1), ("b  b", 1)].map {
            SharedPrefix(namespace: $0, epoch: $1).name(of: key)
        }
        #expect(Set(names).count == names.count)
    }

    @Test func `lifetimes in a shared store vary by a tenth`() {
        #expect(jittered(100, by: 0.1, random: 0) == 90)
        #expect(abs(jittered(100, by: 0.1, random: 1) - 110) < 1e-9)
        #expect((0..<100).allSatisfy { _ in (90...110).contains(jittered(100, by: 0.1)) })
    }
}
