import Testing

@testable import AlcedoServer

/// A path and its signature, made by other implementations.
struct SignedPath: Sendable {
    var keys: [SigningKey]
    var size = 32
    var path: String
    var signature: String

    var rules: URLRules {
        var rules = URLRules()
        rules.keys = keys
        rules.signatureSize = size
        return rules
    }

    static func keys(_ keys: String, _ salts: String) -> [SigningKey] {
        (try? SigningKey.pairs(keys: keys, salts: salts)) ?? []
    }

    static let short = keys("736563726574", "68656c6c6f")
    static let long = keys(
        "943b421c9eb07c830af81030552c86009268de4e532ba2ee2eab8247c6da0881",
        "520f986b998545b4785e0defbc4f3c1203f22de2374a3d53cb7a7fe9fea309c5")

    static let all = [
        SignedPath(
            keys: short,
            path: "/rs:fill:300:400:0/g:sm/aHR0cDovL2V4YW1w/bGUuY29tL2ltYWdl/cy9jdXJpb3NpdHku/anBn.png",
            signature: "oKfUtW34Dvo2BGQehJFR4Nr0_rIjOtdtzJ3QFsUcXH8"),
        SignedPath(
            keys: long, path: "/rs:fit:300:300/plain/http://img.example.com/pretty/image.jpg",
            signature: "m3k5QADfcKPDj-SDI2AIogZbC3FlAXszuwhtWXYqavc"),
        SignedPath(
            keys: long, size: 8, path: "/rs:fit:300:300/plain/http://img.example.com/pretty/image.jpg",
            signature: "m3k5QADfcKM"),
        SignedPath(
            keys: short, path: "/plain/http://example.com/a%20b.jpg%3Fv=1@webp",
            signature: "u5Htmvxom_7nDc2usUDRYEFpNypSB-z_i1kDUlt2haM"),
        SignedPath(
            keys: short, path: "/plain/local:///logos/x.png",
            signature: "7PDSR17hTcY_gBaDi5Oo-4a8Hs_vchiDzHmfDBOo1FU"),
        SignedPath(
            keys: long, size: 20, path: "/dpr:2/w:640/q:75/plain/https://example.com/%C3%BC.jpg@avif",
            signature: "Rr6Fje0kOatuY-KQXFzyEgW3tvQ"),
    ]
}

struct `Signatures` {
    @Test(arguments: SignedPath.all) func `signatures of other implementations pass`(vector: SignedPath)
        throws
    {
        _ = try Reading.url("/\(vector.signature)\(vector.path)", rules: vector.rules)
        _ = try Reading.url("/\(vector.signature)\(vector.path)?ignored=1", rules: vector.rules)
        var rules = vector.rules
        rules.keys = SignedPath.keys("aa", "bb") + rules.keys
        _ = try Reading.url("/\(vector.signature)\(vector.path)", rules: rules)
    }

    @Test(arguments: SignedPath.all) func `altered signatures are rejected`(vector: SignedPath) throws {
        let signature = vector.signature
        for index in signature.indices {
            var wrong = signature
            wrong.replaceSubrange(index...index, with: signature[index] == "A" ? "B" : "A")
            #expect(Reading.failure("/\(wrong)\(vector.path)", rules: vector.rules) == .forbidden)
        }
        let others = [
            signature + "=", signature + "A", String(signature.dropLast()), "+" + signature.dropFirst(),
            "unsafe",
            signature.replacing("_", with: "%5F") + "%", signature.uppercased(), "=",
            "\(signature),\(signature)",
        ]
        for other in others {
            #expect(Reading.failure("/\(other)\(vector.path)", rules: vector.rules) == .forbidden)
        }
        #expect(Reading.failure("/\(signature)\(vector.path)x", rules: vector.rules) == .forbidden)
    }

    @Test func `signatures have exactly the size of the setting`() throws {
        let path = SignedPath.all[1].path
        for size in 1...32 {
            var rules = SignedPath.all[1].rules
            rules.signatureSize = size
            let signed = try URLSigner(rules: rules).url(
                options: "rs:fit:300:300", source: "http://img.example.com/pretty/image.jpg")
            #expect(
                signed.hasSuffix(path) && signed.utf8.count - path.utf8.count - 1 == (size * 4 + 2) / 3)
            _ = try Reading.url(signed, rules: rules)
            rules.signatureSize = size == 32 ? 31 : size + 1
            #expect(Reading.failure(signed, rules: rules) == .forbidden)
        }
    }

    @Test func `bits of a signature beyond the last byte count`() {
        // 8 bytes end within a letter: M and N differ in a bit that belongs to no byte.
        let vector = SignedPath.all[2]
        #expect(Reading.failure("/m3k5QADfcKN\(vector.path)", rules: vector.rules) == .forbidden)
    }

    @Test func `signatures that are wrong in one letter are rejected`() throws {
        let vector = SignedPath.all[1]
        let rules = vector.rules
        let path = Array(vector.path.utf8)
        let right = Array(vector.signature.utf8)
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
        var passed: [String] = []
        for index in right.indices {
            for letter in letters where letter != right[index] {
                var wrong = right
                wrong[index] = letter
                guard (try? rules.check(wrong[...], of: path)) != nil else { continue }
                passed.append(String(decoding: wrong, as: UTF8.self))
            }
        }
        #expect(passed.isEmpty, "\(passed)")
        try rules.check(right[...], of: path)
    }

    @Test func `trusted signatures pass as they are`() throws {
        var rules = SignedPath.all[0].rules
        rules.trustedSignatures = ["let:me", "in"]
        _ = try Reading.url("/in/plain/http://a.test/b", rules: rules)
        _ = try Reading.url("/let:me/plain/http://a.test/b", rules: rules)
        #expect(Reading.failure("/In/plain/http://a.test/b", rules: rules) == .forbidden)
        #expect(Reading.failure("/i/plain/http://a.test/b", rules: rules) == .forbidden)
    }

    @Test func `without keys a URL needs any text in place of a signature`() throws {
        for signature in ["unsafe", "insecure", "_", "AAAA"] {
            _ = try Reading.url("/\(signature)/w:1/plain/http://a.test/b")
        }
        #expect(Reading.failure("/w:1/plain/http://a.test/b") == .forbidden)
        #expect(Reading.failure("/w:1/h:1/plain/http://a.test/b") == .forbidden)
        var rules = URLRules()
        rules.argumentsSeparator = ","
        #expect(Reading.failure("/w:1/h,1/plain/http://a.test/b", rules: rules) == .forbidden)
        #expect(Reading.failure("/w,1/h,1/plain/http://a.test/b", rules: rules) == .forbidden)
    }

    @Test func `keys of signatures come in pairs with salts`() throws {
        #expect(try SigningKey.pairs(keys: "", salts: "").isEmpty)
        #expect(try SigningKey.pairs(keys: "aA,bb", salts: "cc,DD").count == 2)
        #expect(
            try SigningKey.pairs(keys: "aA, bb ", salts: "cc,dd")[1]
                == SigningKey(key: [0xbb], salt: [0xdd]))
        for (keys, salts) in [
            ("aa", ""), ("aa,bb", "cc"), ("", "aa"), ("a", "bb"), ("xx", "bb"), ("aa,", "bb,cc"),
        ] {
            let failure = #expect(throws: SettingFailure.self) {
                try SigningKey.pairs(keys: keys, salts: salts)
            }
            #expect(failure?.text.contains("IMGPROXY_") == true)
            #expect(keys.isEmpty || failure?.text.contains("“\(keys)”") == false)
        }
    }
}
