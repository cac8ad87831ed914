import Testing

@testable import AlcedoTransport

struct `Reading challenges` {
    @Test(arguments: [
        ("Basic realm=\"birds\"", "basic birds"),
        ("basic REALM=birds", "basic birds"),
        ("Basic", "basic -"),
        ("Basic realm=\"\"", "basic "),
        ("Basic realm=\"a \\\"b\\\" \\\\ c, Digest nonce=1\"", "basic a \"b\" \\ c, Digest nonce=1"),
        ("Negotiate abc==, Basic realm=\"x\"", "basic x"),
        ("NTLM, Basic realm = \"x\" , charset=\"UTF-8\"", "basic x"),
        ("Basic realm=\"x\", Digest realm=\"y\", nonce=\"n\"", "digest y"),
        ("Digest realm=\"y\", nonce=\"n\", algorithm=SHA-256, Basic realm=\"x\"", "digest y"),
        ("Digest realm=\"y\", nonce=\"n\", algorithm=ROT13, Basic realm=\"x\"", "basic x"),
        ("Digest realm=\"y\", Basic realm=\"x\"", "basic x"),
        ("Basic realm=\"x\", Basic realm=\"y\"", "basic x"),
        ("Basic realm=\"without end", "basic -"),
        ("Basic realm=\"x\\", "basic -"),
        ("Bearer realm=\"x\"", nil), ("", nil), (",,, ,", nil), ("=", nil), ("\"Basic\"", nil),
    ])
    func `the challenge parser finds the best scheme and its realm`(field: String, expected: String?) {
        let best = ChallengeParser.best(of: [field])
        #expect(best.map { "\($0.scheme.rawValue) \($0.realm ?? "-")" } == expected)
    }

    @Test func `the challenge parser looks at all fields`() {
        let best = ChallengeParser.best(of: ["Basic realm=\"x\"", "Digest realm=\"y\", nonce=1"])
        #expect(best?.scheme == .digest && best?.realm == "y")
    }
}
