import AlcedoTestSupport
import AlcedoTransport
import Foundation
import Testing

@Suite(.timeLimit(.minutes(10)))
struct `Authentication asked for late` {
    let transport = CurlTransport()
    let server: LoopbackServer
    let url: String
    let right = TransportCredential(user: "u", password: "p")
    let wrong = TransportCredential(user: "u", password: "wrong")

    /// The server lets in user `u` with password `p`.
    init() throws {
        server = try LoopbackServer()
        url = server.address("/")
        server.route("/") { request in
            guard request.header("Authorization") == "Basic dTpw" else {
                return .text("out", status: 401, headers: [("WWW-Authenticate", "Basic realm=\"birds\"")])
            }
            return .text("in \(request.method) \(String(decoding: request.body, as: UTF8.self))")
        }
    }

    private func deciding(_ decision: ChallengeDecision) -> TransferRecorder {
        TransferRecorder(onChallenge: { $1(decision) })
    }

    @Test func `a 401 brings the handler a challenge with host, port, scheme and realm`() async throws {
        let challenges = Recorder<HTTPChallenge>()
        let recorder = TransferRecorder(onChallenge: { [right] challenge, decide in
            challenges.append(challenge)
            decide(.use(right))
        })
        transport.start(.patient(url), handler: recorder)
        #expect(try await recorder.result.text == "in GET ")
        #expect(recorder.events == ["challenge birds", "response 200", "chunk", "finish"])
        let challenge = try await challenges.first()
        #expect(challenge.host == "127.0.0.1" && challenge.port == Int(server.port))
        #expect(challenge.urlScheme == "http")
        #expect(challenge.scheme == .basic)
        #expect(!challenge.isProxy)
        #expect(challenge.previousFailures == 0)
        #expect(challenge.response.status == 401)
        #expect(server.requestCount() == 2)
        #expect(server.traffic.connectionsAccepted == 1)
    }

    @Test func `a request with a credential sends its body again, and no other Authorization`() async throws {
        let recorder = deciding(.use(right))
        let request = TransportRequest.patient(url) {
            ($0.method, $0.body) = ("PUT", Data("wings".utf8))
            $0.headers = [("Authorization", "Bearer old"), ("X-Bird", "wren")]
        }
        transport.start(request, handler: recorder)
        #expect(try await recorder.result.text == "in PUT wings")
        #expect(server.requests().map { $0.header("X-Bird") } == ["wren", "wren"])
        #expect(server.requests().last?.headers.filter { $0.name == "Authorization" }.count == 1)
    }

    @Test(arguments: [true, false])
    func `a challenge may be decided later, and the body of the 401 waits`(knowsCredential: Bool)
        async throws
    {
        let body = String(repeating: "x", count: 300_000)
        server.route("/") { request in
            request.header("Authorization") == nil
                ? .text(
                    body, status: 401,
                    headers: [("WWW-Authenticate", "Basic realm=\"birds\"")])
                : .text("in")
        }
        let pending = Recorder<TransferRecorder.Answer>()
        let recorder = TransferRecorder(onChallenge: { pending.append($1) })
        transport.start(.patient(url), handler: recorder)
        let decide = try await pending.first()
        // The network thread has meanwhile done what else there is.
        server.serve("/other", .text("other"))
        #expect(try await transport.load(server.address("/other")).text == "other")
        #expect(recorder.events == ["challenge birds"])
        #expect(server.requestCount(path: "/") == 1)
        decide(knowsCredential ? .use(right) : .goOnWithout)
        decide(.cancel)
        #expect(try await recorder.result.text == (knowsCredential ? "in" : body))
        #expect(server.requestCount(path: "/") == (knowsCredential ? 2 : 1))
    }

    @Test(arguments: [true, false])
    func `a declined challenge gives the 401, and a cancelled one fails`(cancels: Bool) async throws {
        let recorder = deciding(cancels ? .cancel : .goOnWithout)
        transport.start(.patient(url), handler: recorder)
        if cancels {
            #expect(await recorder.error == .authenticationCancelled(url: url))
            #expect(recorder.events == ["challenge birds", "finish"])
        } else {
            #expect(try await recorder.result.text == "out")
            #expect(recorder.events == ["challenge birds", "response 401", "chunk", "finish"])
        }
        #expect(server.requestCount() == 1)
    }

    @Test func `challenges count the wrong credentials that were sent, and end after five`() async throws {
        let failures = Recorder<Int>()
        let recorder = TransferRecorder(onChallenge: { [wrong] challenge, decide in
            failures.append(challenge.previousFailures)
            decide(.use(wrong))
        })
        transport.start(.patient(url) { $0.credential = wrong }, handler: recorder)
        #expect(try await recorder.result.response.status == 401)
        #expect(failures.values == [1, 2, 3, 4])
        #expect(server.requestCount() == 6)
    }

    @Test func `a right credential after a wrong one gets the response`() async throws {
        let recorder = TransferRecorder(onChallenge: { [right, wrong] challenge, decide in
            decide(.use(challenge.previousFailures == 0 ? wrong : right))
        })
        transport.start(.patient(url), handler: recorder)
        #expect(try await recorder.result.text == "in GET ")
        #expect(server.requestCount() == 3)
    }

    @Test func `Digest is preferred to Basic, needs one round and does not send the password`() async throws {
        server.route("/") { request in
            guard let answer = request.header("Authorization") else {
                let digest = "Digest realm=\"b\\\"irds\", qop=\"auth\", nonce=\"n\", algorithm=MD5"
                return .text(
                    "", status: 401,
                    headers: [("WWW-Authenticate", "Basic realm=\"plain\""), ("WWW-Authenticate", digest)])
            }
            return .text(answer)
        }
        let recorder = deciding(.use(right))
        transport.start(.patient(url) { ($0.method, $0.body) = ("POST", Data("x".utf8)) }, handler: recorder)
        let answer = try await recorder.result.text
        #expect(answer.hasPrefix("Digest username=\"u\""))
        #expect(recorder.events.first == "challenge b\"irds")
        #expect(server.requests().map(\.body.count) == [1, 1])
    }

    @Test func `a credential is not sent to another origin after a redirect`() async throws {
        let target = try LoopbackServer()
        target.route("/") { request in
            .text(
                request.header("Authorization") ?? "nothing",
                status: request.header("Authorization") == nil ? 401 : 200,
                headers: [("WWW-Authenticate", "Basic realm=\"other\"")])
        }
        let elsewhere = target.address("/")
        server.route("/from") { request in
            request.header("Authorization") == nil
                ? .text("", status: 401, headers: [("WWW-Authenticate", "Basic realm=\"birds\"")])
                : .redirect(to: elsewhere)
        }
        let failures = Recorder<Int>()
        let recorder = TransferRecorder(onChallenge: { [right] challenge, decide in
            failures.append(challenge.previousFailures)
            decide(challenge.realm == "birds" ? .use(right) : .goOnWithout)
        })
        transport.start(.patient(server.address("/from")), handler: recorder)
        #expect(try await recorder.result.text == "nothing")
        #expect(failures.values == [0, 0])
        #expect(target.requests().allSatisfy { $0.header("Authorization") == nil })
    }

    @Test func `a credential is sent again after a redirect to the same origin`() async throws {
        server.route("/from") { request in
            request.header("Authorization") == nil
                ? .text("", status: 401, headers: [("WWW-Authenticate", "Basic realm=\"birds\"")])
                : .redirect(to: "/")
        }
        let recorder = deciding(.use(right))
        transport.start(.patient(server.address("/from")), handler: recorder)
        #expect(try await recorder.result.text == "in GET ")
        #expect(server.requestCount() == 3)
    }

    @Test(arguments: [
        [], ["WWW-Authenticate"], ["WWW-Authenticate: Negotiate"], ["WWW-Authenticate: =,=\"\\"],
        ["WWW-Authenticate: Digest realm=\"x\", algorithm=ROT13, nonce=\"1\""],
        ["WWW-Authenticate: \(String(repeating: "a=\"", count: 20_000))"],
    ])
    func `a 401 that offers nothing useful is the response`(lines: [String]) async throws {
        let head = (["HTTP/1.1 401 No", "Content-Length: 3"] + lines).map { $0 + "\r\n" }.joined()
        server.serve("/", .raw(head + "\r\nout"))
        let recorder = deciding(.use(right))
        transport.start(.patient(url), handler: recorder)
        if lines == ["WWW-Authenticate"] {
            guard case .malformedResponse = await recorder.error else {
                Issue.record("accepted")
                return
            }
        } else {
            #expect(try await recorder.result.response.status == 401)
        }
        #expect(server.requestCount() == 1)
    }

    @Test func `a 407 from a server that is no proxy is the response`() async throws {
        server.serve("/", .text("", status: 407, headers: [("Proxy-Authenticate", "Basic realm=\"x\"")]))
        let recorder = deciding(.use(right))
        transport.start(.patient(url) { $0.proxy = .none }, handler: recorder)
        #expect(try await recorder.result.response.status == 407)
        #expect(server.requestCount() == 1)
    }

    @Test func `a transfer can be cancelled while the handler decides about a challenge`() async throws {
        let pending = Recorder<TransferRecorder.Answer>()
        let recorder = TransferRecorder(onChallenge: { pending.append($1) })
        let task = transport.start(.patient(url), handler: recorder)
        let decide = try await pending.first()
        task.cancel()
        #expect(await recorder.error == .cancelled)
        decide(.use(right))
        #expect(server.requestCount() == 1)
    }

    @Test func `challenges of many transfers may be decided on any thread`() async throws {
        let recorders = (0..<200).map { _ in
            TransferRecorder(onChallenge: { [right] _, decide in
                DispatchQueue.global().async { decide(.use(right)) }
            })
        }
        for recorder in recorders { transport.start(.patient(url), handler: recorder) }
        for recorder in recorders { #expect(try await recorder.result.text == "in GET ") }
        #expect(server.traffic.connectionsAccepted <= 6)
    }
}
