import Foundation
import Testing

@testable import AlcedoTransport

struct `A transfer machine` {
    private static let url = "https://a.test/image"
    private let credential = TransportCredential(user: "u", password: "p")

    private func machine(_ configure: (inout TransportRequest) -> Void = { _ in }) throws -> TransferMachine {
        let request = TransportRequest(to: Self.url, configure)
        var machine = TransferMachine(request, at: try WebURL(Self.url))
        _ = machine.handle(.sending(hasHeaders: false))
        return machine
    }

    private func response(
        _ status: Int, _ headers: [(name: String, value: String)] = [], bytes: Int64? = nil
    ) -> TransportResponse {
        TransportResponse(
            url: URL(text: Self.url), status: status, httpVersion: "HTTP/1.1", headers: headers,
            expectedBytes: bytes)
    }

    private let basic = [(name: "WWW-Authenticate", value: "Basic realm=\"r\"")]
    private let moved = [(name: "Location", value: "/moved")]

    // MARK: - The final response

    @Test func `a transfer machine offers a final response, delivers its body and succeeds`() throws {
        var machine = try machine()
        #expect(machine.handle(.response(response(200))).name == "offer")
        #expect(machine.handleChunk(10, after: 0) == .pause)
        #expect(machine.end(.complete).name == "wait")
        #expect(machine.handle(.accepted(true)).name == "proceed")
        #expect(machine.handleChunk(10, after: 0) == .deliver)
        #expect(machine.end(.complete).name == "succeed")
    }

    @Test func `a transfer machine fails if the handler rejects the response`() throws {
        var machine = try machine()
        _ = machine.handle(.response(response(200)))
        #expect(machine.handle(.accepted(false)).name == "abort")
        #expect(machine.end(.failed).error == .rejected(url: Self.url))
    }

    @Test func `a transfer machine ignores a decision that it does not wait for`() throws {
        var machine = try machine()
        #expect(machine.handle(.accepted(false)).name == "proceed")
        #expect(machine.handle(.redirected(to: nil)).name == "proceed")
        #expect(machine.handle(.authenticated(.cancel)).name == "proceed")
        #expect(machine.failure == nil)
    }

    @Test func `a transfer machine keeps the first failure`() throws {
        var machine = try machine()
        _ = machine.handle(.failed(.cancelled))
        _ = machine.handle(.failed(.rejected(url: "")))
        #expect(machine.end(.complete).error == .cancelled)
    }

    @Test func `a transfer machine rejects a body that is announced or comes larger than allowed`() throws {
        var announced = try machine { $0.maximumBodyBytes = 100 }
        #expect(announced.handle(.response(response(200, bytes: 101))).name == "abort")
        #expect(announced.end(.failed).error == .tooLarge(limit: 100, url: Self.url))
        var received = try machine { $0.maximumBodyBytes = 100 }
        _ = received.handle(.response(response(200)))
        _ = received.handle(.accepted(true))
        #expect(received.handleChunk(60, after: 40) == .deliver)
        #expect(received.handleChunk(1, after: 100) == .abort)
        #expect(received.end(.failed).error == .tooLarge(limit: 100, url: Self.url))
    }

    @Test func `a transfer machine allows any length that is announced for no body`() throws {
        var machine = try machine { ($0.method, $0.maximumBodyBytes) = ("HEAD", 1) }
        #expect(machine.handle(.response(response(200, bytes: 1_000))).name == "offer")
    }

    @Test func `a transfer machine rejects a malformed response`() throws {
        var machine = try machine()
        let malformed = response(200, [("Content-Length", "x")])
        #expect(machine.handle(.response(malformed)).name == "abort")
        guard case .malformedResponse? = machine.end(.failed).error else {
            Issue.record("no error")
            return
        }
    }

    // MARK: - Redirects

    @Test func `a transfer machine follows a redirect after its body`() throws {
        var machine = try machine()
        guard case .redirect(_, let next) = machine.handle(.response(response(302, moved))) else {
            Issue.record("no redirect")
            return
        }
        #expect(machine.handleChunk(1, after: 0) == .pause)
        #expect(machine.handle(.redirected(to: next)).name == "proceed")
        #expect(machine.handleChunk(10, after: 0) == .discard)
        #expect(machine.end(.complete).name == "follow https://a.test/moved")
        machine.follow(next, at: try WebURL(next.address))
        #expect(machine.redirectCount == 1)
        #expect(machine.handle(.response(response(200))).name == "offer")
    }

    @Test func `a transfer machine offers a redirect that the handler declines`() throws {
        var machine = try machine()
        _ = machine.handle(.response(response(302, moved)))
        #expect(machine.handle(.redirected(to: nil)).name == "offer")
    }

    @Test func `a transfer machine fails after too many redirects`() throws {
        var machine = try machine { $0.maximumRedirects = 0 }
        #expect(machine.handle(.response(response(302, moved))).name == "abort")
        #expect(machine.end(.failed).error == .tooManyRedirects(limit: 0, url: Self.url))
    }

    @Test
    func `a transfer machine closes the connection rather than read a long body that is not final`() throws {
        let limit = TransferMachine.drainLimit
        var announced = try machine()
        guard
            case .redirect(_, let next) = announced.handle(
                .response(response(302, moved, bytes: Int64(limit) + 1)))
        else {
            Issue.record("no redirect")
            return
        }
        #expect(announced.handle(.redirected(to: next)).name == "abort")
        #expect(announced.end(.failed).name == "follow https://a.test/moved")
        var received = try machine()
        _ = received.handle(.response(response(302, moved)))
        _ = received.handle(.redirected(to: next))
        #expect(received.handleChunk(limit, after: 0) == .discard)
        #expect(received.handleChunk(1, after: 0) == .abort)
        #expect(received.end(.failed).name == "follow https://a.test/moved")
    }

    // MARK: - Authentication

    @Test func `a transfer machine sends the request's credential without a challenge, once`() throws {
        var machine = try machine { $0.credential = credential }
        #expect(machine.handle(.response(response(401, basic))).name == "proceed")
        #expect(machine.end(.complete).name == "sendAgain")
        machine.reset()
        #expect(machine.credentials.server.sent?.credential == credential)
        #expect(!machine.credentials.isFinal(status: 401))
        #expect(machine.handle(.response(response(401, basic))).name == "challenge 1")
    }

    @Test func `a transfer machine sends the handler's credential, five times at most`() throws {
        var machine = try machine()
        for failures in 0..<5 {
            #expect(machine.handle(.response(response(401, basic))).name == "challenge \(failures)")
            #expect(machine.end(.complete).name == "wait")
            #expect(machine.handle(.authenticated(.use(credential))).name == "proceed")
            #expect(machine.end(.complete).name == "sendAgain")
            machine.reset()
        }
        #expect(machine.handle(.response(response(401, basic))).name == "offer")
    }

    @Test func `a transfer machine replaces a header field that the credential would not`() throws {
        var machine = try machine { $0.headers = [("Authorization", "x"), ("Accept", "y")] }
        _ = machine.handle(.response(response(401, basic)))
        _ = machine.handle(.authenticated(.use(credential)))
        #expect(machine.request.headers.map(\.name) == ["Accept"])
    }

    @Test
    func `a transfer machine offers a 401 if the handler has no credential`() throws {
        var without = try machine()
        _ = without.handle(.response(response(401, basic)))
        #expect(without.handle(.authenticated(.goOnWithout)).name == "offer")
        var cancelled = try machine()
        _ = cancelled.handle(.response(response(401, basic)))
        #expect(cancelled.handle(.authenticated(.cancel)).name == "abort")
        #expect(cancelled.end(.failed).error == .authenticationCancelled(url: Self.url))
    }

    @Test
    func `a transfer machine offers a 401 with an unknown scheme, and a 407 that no proxy sends`() throws {
        var machine = try machine()
        let unknown = response(401, [("WWW-Authenticate", "Negotiate")])
        #expect(machine.handle(.response(unknown)).name == "offer")
        machine = try self.machine { $0.proxy = .none }
        let proxy = response(407, [("Proxy-Authenticate", "Basic realm=\"r\"")])
        #expect(machine.handle(.response(proxy)).name == "offer")
    }

    @Test func `a transfer machine authenticates to a proxy before the tunnel, or cannot connect`() throws {
        let challenge = response(407, [("Proxy-Authenticate", "Basic realm=\"r\"")])
        var machine = try machine()
        #expect(machine.handle(.tunnelRejected(challenge)).name == "challenge 0")
        #expect(machine.end(.failed).name == "wait")
        #expect(machine.handle(.authenticated(.use(credential))).name == "proceed")
        #expect(machine.end(.failed).name == "sendAgain")
        #expect(machine.credentials.proxy.sent?.credential == credential)
        var without = try self.machine()
        _ = without.handle(.tunnelRejected(challenge))
        #expect(without.handle(.authenticated(.goOnWithout)).name == "abort")
        guard case .cannotConnect? = without.end(.failed).error else {
            Issue.record("no error")
            return
        }
        var unknown = try self.machine()
        #expect(unknown.handle(.tunnelRejected(response(407))).name == "proceed")
        #expect(unknown.end(.failed).name == "failAsReported")
    }

    @Test(arguments: [(100, false), (103, false), (200, true), (401, true), (407, true), (500, true)])
    func `a transfer machine takes headers as final`(status: Int, isFinal: Bool) throws {
        #expect(try machine().credentials.isFinal(status: status) == isFinal)
    }

    // MARK: - Trust

    @Test func `a transfer machine waits for the decision about a certificate`() throws {
        var machine = try machine()
        let trust = ServerTrust(host: "a.test", port: 443, certificates: [])
        #expect(machine.end(.untrusted(trust)).name == "judge")
        #expect(machine.handleChunk(1, after: 0) == .abort)
        #expect(machine.end(.failed).name == "wait")
        machine.reset()
        #expect(machine.handle(.response(response(200))).name == "offer")
    }

    // MARK: - Broken connections

    @Test func `a transfer machine sends an idempotent request once more if its connection breaks`() throws {
        var machine = try machine()
        #expect(machine.end(.connectionBroken).name == "sendAgain")
        #expect(machine.hasStartedOver)
        machine.reset()
        _ = machine.handle(.sending(hasHeaders: false))
        #expect(machine.end(.connectionBroken).name == "failAsReported")
    }

    @Test
    func `a transfer machine sends a request once more amid its body if the handler allows it`() throws {
        for isAllowed in [true, false] {
            var machine = try machine()
            _ = machine.handle(.response(response(200)))
            _ = machine.handle(.accepted(true))
            #expect(machine.end(.connectionBroken).name == "offerToStartOver")
            #expect(
                machine.startOver(isAllowed: isAllowed).name == (isAllowed ? "sendAgain" : "failAsReported"))
            #expect(machine.hasStartedOver == isAllowed)
        }
    }

    @Test func `a transfer machine sends no other request twice`() throws {
        var post = try machine { $0.method = "POST" }
        #expect(post.end(.connectionBroken).name == "failAsReported")
        var failed = try machine()
        #expect(failed.end(.failed).name == "failAsReported")
        var retried = try machine()
        _ = retried.handle(.sending(hasHeaders: false))
        #expect(retried.hasStartedOver)
        #expect(retried.end(.connectionBroken).name == "failAsReported")
    }

    @Test
    func `a transfer machine takes libcurl's second request of an authentication for no retry`() throws {
        var machine = try machine()
        _ = machine.handle(.sending(hasHeaders: true))
        #expect(!machine.hasStartedOver)
    }

    @Test func `a transfer machine replaces stale connections until one works`() throws {
        var machine = TransferMachine(TransportRequest(to: Self.url), at: try WebURL(Self.url))
        for _ in 0..<3 {
            #expect(machine.handle(.foundStaleConnection).name == "abort")
            #expect(machine.end(.connectionBroken).name == "sendAgain")
            #expect(!machine.hasStartedOver)
            machine.reset()
        }
    }

    @Test func `a transfer machine reports an end without a response`() throws {
        var machine = try machine()
        #expect(machine.end(.complete).name == "failAsReported")
    }
}

// MARK: - Names of cases, because responses have no equality

extension TransferMachine.Action {
    fileprivate var name: String {
        switch self {
        case .proceed: "proceed"
        case .abort: "abort"
        case .offer: "offer"
        case .redirect: "redirect"
        case .challenge(let challenge): "challenge \(challenge.previousFailures)"
        }
    }
}

extension TransferMachine.Conclusion {
    fileprivate var error: TransportError? {
        if case .fail(let error) = self { error } else { nil }
    }

    fileprivate var name: String {
        switch self {
        case .wait: "wait"
        case .succeed: "succeed"
        case .fail: "fail"
        case .failAsReported: "failAsReported"
        case .sendAgain: "sendAgain"
        case .follow(let next): "follow \(next.address)"
        case .offerToStartOver: "offerToStartOver"
        case .judge: "judge"
        }
    }
}
