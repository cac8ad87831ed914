import AlcedoHTTPServer
import AlcedoTransport
import Testing

@testable import AlcedoServer

struct `The client of a request` {
    private func client(
        _ connection: String?, _ forwarded: [String] = [], trusting text: String
    ) throws -> String? {
        let settings = try SettingTexts(environment: ["ALCEDO_TRUSTED_PROXIES": text]).settings()
        var request = HTTPRequest.get("/", headers: forwarded.map { ("X-Forwarded-For", $0) })
        request.client = connection
        return settings.trustedProxies.client(of: request)
    }

    private typealias Case = (connection: String?, forwarded: [String], trusted: String, client: String?)

    private static let cases: [Case] = [
        // Nobody is trusted unless the setting says so.
        ("10.0.0.1", ["192.0.2.1"], "", "10.0.0.1"),
        ("10.0.0.1", ["192.0.2.1"], "10.0.0.0/8", "192.0.2.1"),
        ("11.0.0.1", ["192.0.2.1"], "10.0.0.0/8", "11.0.0.1"),
        ("10.0.0.1", [], "10.0.0.0/8", "10.0.0.1"),
        // What the client has sent is left of what the proxies have appended.
        ("10.0.0.1", ["127.0.0.1, 10.9.9.9, 192.0.2.1"], "10.0.0.0/8", "192.0.2.1"),
        ("10.0.0.1", ["192.0.2.1, 10.0.0.2"], "10.0.0.0/8", "192.0.2.1"),
        ("10.0.0.1", ["192.0.2.1", "10.0.0.2"], "10.0.0.1, 10.0.0.2", "192.0.2.1"),
        ("10.0.0.1", ["192.0.2.1, 10.0.0.2"], "10.0.0.1", "10.0.0.2"),
        ("10.0.0.1", ["192.0.2.1, unknown"], "10.0.0.0/8", "10.0.0.1"),
        ("10.0.0.1", ["192.0.2.1, unknown, 10.0.0.3"], "10.0.0.0/8", "10.0.0.3"),
        ("10.0.0.1", ["192.0.2.1:5000"], "10.0.0.0/8", "192.0.2.1"),
        ("10.0.0.1", ["[2001:db8::1]:5000"], "10.0.0.0/8", "2001:db8::1"),
        ("10.0.0.1", ["2001:DB8:0::1"], "10.0.0.0/8", "2001:db8::1"),
        ("10.0.0.1", ["::ffff:192.0.2.1"], "10.0.0.0/8", "192.0.2.1"),
        ("::1", ["192.0.2.1"], "::1", "192.0.2.1"),
        ("fe80::1", ["192.0.2.1"], "fe80::/10", "192.0.2.1"),
        ("10.0.0.1", ["192.0.2.1"], "::ffff:10.0.0.0/104", "192.0.2.1"),
        ("11.0.0.1", ["192.0.2.1"], "::ffff:10.0.0.0/104", "11.0.0.1"),
        ("10.0.0.1", ["192.0.2.1, 10.0.0.2"], "::ffff:10.0.0.1", "10.0.0.2"),
        ("2001:db8::1", ["192.0.2.1"], "2001:db8::/104", "192.0.2.1"),
        (nil, ["192.0.2.1"], "10.0.0.0/8", nil),
        (nil, ["192.0.2.1"], "unix", "192.0.2.1"),
        (nil, [], "unix", nil),
        (nil, ["192.0.2.1, 10.0.0.2"], "unix,10.0.0.0/8", "192.0.2.1"),
    ]

    @Test(arguments: cases.indices)
    func `the client of a request is the last address that is no trusted proxy's`(index: Int) throws {
        let (connection, forwarded, trusted, expected) = Self.cases[index]
        #expect(try client(connection, forwarded, trusting: trusted) == expected)
    }

    @Test(arguments: [
        "10.0.0.0/33", "10.0.0", "proxy.example", "::1/129", "10.0.0.0/8/8", "10.0.0.0/-1", "/8",
    ])
    func `trusted proxies are addresses and networks`(text: String) {
        #expect(throws: SettingFailure.self) { try client("10.0.0.1", trusting: text) }
    }
}
