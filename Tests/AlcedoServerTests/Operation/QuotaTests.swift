import AlcedoHTTPServer
import AlcedoPixels
import AlcedoTestSupport
import Testing

@testable import AlcedoServer

@Suite(.timeLimit(.minutes(10)))
struct `Quotas of a party` {
    private let now = ContinuousClock.now

    private func quotas(_ kind: Quotas.Kind = .client, running: Int = 0, rate: Double = 0) -> Quotas {
        var limit = QuotaLimit()
        (limit.running, limit.rate) = (running, rate)
        return Quotas([kind: limit])
    }

    private func client(_ name: String) -> [Quotas.Party] { [Quotas.Party(kind: .client, name: name)] }

    @Test func `quotas bound the requests that a party has at a time, and no other party's`() throws {
        var quotas = quotas(running: 2)
        for _ in 0..<2 { try quotas.enter(client("a"), at: now) }
        let excess = #expect(throws: Quotas.Excess.self) { try quotas.enter(client("a"), at: now) }
        #expect(excess?.isOfRate == false && excess?.wait == .seconds(1))
        try quotas.enter(client("b"), at: now)
        quotas.leave(client("a"))
        try quotas.enter(client("a"), at: now)
        #expect(quotas.excesses == [.client: 1])
    }

    @Test func `quotas bound the requests of a party a second, with a second's worth at once`() throws {
        var quotas = quotas(rate: 4)
        for _ in 0..<4 { try quotas.enter(client("a"), at: now) }
        let excess = #expect(throws: Quotas.Excess.self) { try quotas.enter(client("a"), at: now) }
        #expect(excess?.isOfRate == true && excess?.wait == .milliseconds(250))
        try quotas.enter(client("b"), at: now)
        try quotas.enter(client("a"), at: now + .milliseconds(250))
        #expect(throws: Quotas.Excess.self) { try quotas.enter(client("a"), at: now + .milliseconds(250)) }
        for _ in 0..<4 { try quotas.enter(client("a"), at: now + .seconds(9)) }
    }

    @Test func `quotas count nothing of a request that one of its parties may not make`() throws {
        var limit = QuotaLimit()
        limit.running = 1
        var quotas = Quotas([.key: limit, .client: limit])
        let key = [Quotas.Party(kind: .key, name: "1")]
        try quotas.enter(key, at: now)
        #expect(throws: Quotas.Excess.self) { try quotas.enter(client("a") + key, at: now) }
        try quotas.enter(client("a"), at: now)
        #expect(quotas.excesses == [.key: 1])
    }

    @Test func `quotas remember the parties that are near their rate, of any number`() throws {
        var quotas = quotas(rate: 10)
        for _ in 0..<10 { try quotas.enter(client("greedy"), at: now) }
        for number in 0..<(3 * Quotas.mostRates) { try quotas.enter(client("\(number)"), at: now) }
        #expect(quotas.rateCount <= Quotas.mostRates)
        #expect(throws: Quotas.Excess.self) { try quotas.enter(client("greedy"), at: now) }
    }

    @Test(arguments: [
        ("0", true), ("-0", true), ("0.000001", true), ("1000000", true), ("0.0000009", false), ("-1", false),
        ("1000001", false), ("0.00000000000000000000000000000001", false),
    ])
    func `quotas reject a rate that is too small or too large`(text: String, isRate: Bool) throws {
        let texts = try SettingTexts(environment: ["ALCEDO_CLIENT_RATE": text])
        guard isRate else {
            let failure = #expect(throws: SettingFailure.self) { try texts.settings() }
            #expect(failure?.text.contains("ALCEDO_CLIENT_RATE") == true)
            return
        }
        var quotas = Quotas(try texts.settings().quotas)
        #expect(quotas.isEmpty == (text == "0" || text == "-0"))
        try quotas.enter(client("a"), at: now)
    }

    @Test func `quotas take the network of an IPv6 client for the client`() {
        let one = Quotas.Party(client: "2001:db8:0:1::1")
        #expect(one == Quotas.Party(client: "2001:db8:0:1:ffff::2"))
        #expect(one != Quotas.Party(client: "2001:db8:0:2::1"))
        #expect(Quotas.Party(client: "192.0.2.1") != Quotas.Party(client: "192.0.2.2"))
    }

    @Test func `quotas end with the request that has a share`() throws {
        let admission = Admission(places: 1, queueSize: 0, quotas: quotas(running: 1))
        func isAdmitted() -> Bool { (try? admission.share(of: client("a"))) != nil }
        do {
            let share = try admission.share(of: client("a"))
            #expect(!isAdmitted())
            _ = consume share
        }
        #expect(isAdmitted() && isAdmitted())
        #expect(admission.excesses.filter { $0.count > 0 }.map(\.kind) == [.client])
    }

    private func origin(_ kind: Quotas.Kind, rules: URLRules = URLRules()) throws -> ImageOrigin {
        let origin = try ImageOrigin { origin in
            origin.engine = ServerEngine(
                admission: Admission(workers: 2, queueSize: 0, quotas: quotas(kind, rate: 0.001)))
            origin.rules.keys = rules.keys
        }
        origin.server.serve("/a", try Bitmap.coordinates(40, 30).encoded(as: .png))
        return origin
    }

    private func response(
        _ origin: ImageOrigin, _ target: String, from client: String? = nil
    ) async -> ServerResponse {
        var request = HTTPRequest.get(target)
        request.client = client
        return await origin.handler.patientResponse(to: request)
    }

    @Test func `quotas reject what a client has no share for with 429, and let caches respond`() async throws
    {
        let origin = try origin(.client)
        let (first, second) = (origin.target("w:10", "/a"), origin.target("w:20", "/a"))
        #expect(await response(origin, first, from: "192.0.2.1").status == 200)
        let rejected = await response(origin, second, from: "192.0.2.1")
        #expect(rejected.status == 429)
        #expect((Int(rejected.header("Retry-After") ?? "") ?? 0) > 100)
        #expect(rejected.reason == "client 192.0.2.1 has made as many requests as CLIENT_RATE allows")
        #expect(await response(origin, first, from: "192.0.2.1").status == 200)
        #expect(await response(origin, second, from: "192.0.2.2").status == 200)
        // Of an unknown client.
        #expect(await response(origin, origin.target("w:5", "/a")).status == 200)
    }

    @Test func `quotas tell sources apart by their hosts`() async throws {
        let (origin, other) = (try origin(.source), try LoopbackServer())
        other.serve("/a", try Bitmap.coordinates(40, 30).encoded(as: .png))
        #expect(await response(origin, origin.target("w:10", "/a")).status == 200)
        #expect(await response(origin, origin.target("w:20", "/a")).status == 429)
        let elsewhere = "/unsafe/w:20/plain/\(other.address("/a"))"
        #expect(await response(origin, elsewhere).status == 200)
    }

    @Test func `quotas tell keys apart by what they sign`() async throws {
        var rules = URLRules()
        rules.keys = [SigningKey(key: [1], salt: [1]), SigningKey(key: [2], salt: [2])]
        let origin = try origin(.key, rules: rules)
        func url(_ key: Int, _ options: String) throws -> String {
            var rules = rules
            rules.keys = [rules.keys[key]]
            return try URLSigner(rules: rules).url(options: options, source: origin.server.address("/a"))
        }
        #expect(await response(origin, try url(0, "w:10")).status == 200)
        #expect(await response(origin, try url(0, "w:20")).status == 429)
        #expect(await response(origin, try url(1, "w:20")).status == 200)
    }
}
