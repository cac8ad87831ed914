import Alcedo
import AlcedoTestSupport
import Foundation
import FoundationNetworking
import Testing

@testable import EngineFixtures

@Suite(.timeLimit(.minutes(10)))
struct `A downloader that is asked who it is` {
    let loading: Loading
    var server: LoopbackServer { loading.server }
    var downloader: ImageDownloader { loading.downloader }
    private static let authorized = "Basic " + Data("me:secret".utf8).base64EncodedString()

    init() throws {
        loading = try Loading()
        let body = try Sample.png(4, 4)
        server.route("/a") { request in
            request.header("Authorization") == Self.authorized
                ? Reply(body: body)
                : Reply.status(401, headers: [("WWW-Authenticate", #"Basic realm="pictures""#)])
        }
    }

    private func download() async throws -> ImageLoadingResult {
        try await downloader.downloadImage(with: server.url("/a"))
    }

    @Test
    func `a downloader asks its challenge responder, and sends the responder's credential`() async throws {
        let responder = Responder(user: "me", password: "secret")
        downloader.authenticationChallengeResponder = responder
        #expect(try await download().image.size.width == 4)
        let challenge = try #require(responder.challenges.values.first)
        #expect(responder.challenges.count == 1)
        #expect(challenge == "127.0.0.1 pictures NSURLAuthenticationMethodHTTPBasic 0 401")
        #expect(responder.urls.values == [server.url("/a")])
    }

    @Test
    func `a downloader asks its responder again after a wrong credential, but not for ever`() async throws {
        let responder = Responder(user: "me", password: "wrong")
        downloader.authenticationChallengeResponder = responder
        let error = await kingfisherError { try await download() }
        #expect(error?.isInvalidResponseStatusCode(401) == true)
        #expect((2...10).contains(responder.challenges.count))
    }

    @Test func `a 401 is the response of a download where nobody responds to the challenge`() async throws {
        #expect(await kingfisherError { try await download() }?.isInvalidResponseStatusCode(401) == true)
        let responder = Responder(user: nil, password: nil)
        downloader.authenticationChallengeResponder = responder
        #expect(await kingfisherError { try await download() }?.isInvalidResponseStatusCode(401) == true)
        #expect(responder.challenges.count == 1)
    }

    @Test func `a download ends when the challenge responder cancels`() async throws {
        let responder = Responder(user: nil, password: nil, disposition: .cancelAuthenticationChallenge)
        downloader.authenticationChallengeResponder = responder
        let error = await kingfisherError { try await download() }
        #expect(error?.errorCode == 2003)
        #expect(error?.description.contains("/a") == true)
    }

    @Test func `a downloader sends the credential that its session configuration has`() async throws {
        let configuration = URLSessionConfiguration.ephemeral
        let space = URLProtectionSpace(
            host: "127.0.0.1", port: Int(server.port), protocol: "http", realm: "pictures",
            authenticationMethod: NSURLAuthenticationMethodHTTPBasic)
        configuration.urlCredentialStorage?.setDefaultCredential(
            URLCredential(user: "me", password: "secret", persistence: .forSession), for: space)
        downloader.sessionConfiguration = configuration
        #expect(try await download().image.size.width == 4)
    }

    @Test
    func `a downloader asks a responder with completion handlers, as Kingfisher 7 has them`() async throws {
        final class Older: AuthenticationChallengeResponsible, Sendable {
            let shown = CallCounter()

            func downloader(
                _ downloader: ImageDownloader, task: URLSessionTask,
                didReceive challenge: URLAuthenticationChallenge,
                completionHandler: @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
            ) {
                shown.increment()
                let credential = URLCredential(user: "me", password: "secret", persistence: .none)
                completionHandler(.useCredential, credential)
                completionHandler(.cancelAuthenticationChallenge, nil)
            }
        }
        let responder = Older()
        downloader.authenticationChallengeResponder = responder
        #expect(try await download().image.size.width == 4)
        #expect(responder.shown.value == 1)
    }

    @Test func `a challenge responder that drops its completion handler counts as none`() async throws {
        final class Silent: AuthenticationChallengeResponsible, Sendable {
            func downloader(
                _ downloader: ImageDownloader, task: URLSessionTask,
                didReceive challenge: URLAuthenticationChallenge,
                completionHandler: @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
            ) {}
        }
        let responder = Silent()
        downloader.authenticationChallengeResponder = responder
        #expect(await kingfisherError { try await download() }?.isInvalidResponseStatusCode(401) == true)
        withExtendedLifetime(responder) {}
    }

    @Test func `a downloader asks a delegate with a completion handler about a response`() async throws {
        final class Older: ImageDownloaderDelegate, Sendable {
            func imageDownloader(
                _ downloader: ImageDownloader, didReceive response: URLResponse,
                completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
            ) {
                completionHandler(.cancel)
            }
        }
        let delegate = Older()
        downloader.delegate = delegate
        server.serve("/plain", try Sample.png(4, 4))
        let plain = await kingfisherError {
            try await downloader.downloadImage(with: server.url("/plain"))
        }
        #expect(plain?.errorCode == 2006)
        withExtendedLifetime(delegate) {}
    }

    final class Responder: AuthenticationChallengeResponsible, Sendable {
        let challenges = Recorder<String>()
        let urls = Recorder<URL?>()
        private let user: String?
        private let password: String?
        private let disposition: URLSession.AuthChallengeDisposition

        init(
            user: String?,
            password: String?,
            disposition: URLSession.AuthChallengeDisposition = .performDefaultHandling
        ) {
            self.user = user
            self.password = password
            self.disposition = disposition
        }

        func downloader(
            _ downloader: ImageDownloader,
            task: URLSessionTask,
            didReceive challenge: URLAuthenticationChallenge
        ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
            let space = challenge.protectionSpace
            let status = (challenge.failureResponse as? HTTPURLResponse)?.statusCode ?? 0
            challenges.append(
                "\(space.host) \(space.realm ?? "-") \(space.authenticationMethod) "
                    + "\(challenge.previousFailureCount) \(status)")
            urls.append(task.originalRequest?.url)
            guard let user, let password else { return (disposition, nil) }
            return (.useCredential, URLCredential(user: user, password: password, persistence: .none))
        }
    }
}

@Suite(.timeLimit(.minutes(10)), .enabled(if: SecureServer.isAvailable))
struct `A downloader that decides about a server` {
    let server: SecureServer
    let downloader = ImageDownloader(name: "trust")
    let url: URL

    init() async throws {
        server = try await SecureServer(file: "a.png", Data(try Sample.png(4, 4)))
        url = try #require(URL(string: server.url + "/a.png"))
        downloader.downloadTimeout = 120
    }

    private func download() async throws -> ImageLoadingResult {
        try await downloader.downloadImage(with: url)
    }

    @Test func `a downloader rejects a server that nobody vouches for`() async throws {
        #expect(await kingfisherError { try await download() }?.errorCode == 2003)
    }

    @Test
    func `a challenge responder is shown the server's certificates, and may accept them`() async throws {
        let responder = Responder { _ in .useCredential }
        downloader.authenticationChallengeResponder = responder
        #expect(try await download().image.size.width == 4)
        #expect(responder.shown.values == ["127.0.0.1 CN=loopback 1"])
    }

    @Test
    func `an untrusted server is rejected if the responder rejects it or leaves it to the default`()
        async throws
    {
        for disposition in [
            URLSession.AuthChallengeDisposition.cancelAuthenticationChallenge,
            .rejectProtectionSpace, .performDefaultHandling,
        ] {
            let responder = Responder { _ in disposition }
            downloader.authenticationChallengeResponder = responder
            #expect(await kingfisherError { try await download() }?.errorCode == 2003)
            #expect(responder.shown.count == 1)
        }
    }

    @Test func `a downloader asks a responder with a completion handler about the server`() async throws {
        final class Older: AuthenticationChallengeResponsible, Sendable {
            func downloader(
                _ downloader: ImageDownloader, didReceive challenge: URLAuthenticationChallenge,
                completionHandler: @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
            ) {
                let trust = challenge.protectionSpace.serverTrust
                completionHandler(.useCredential, trust.map { URLCredential(trust: $0) })
            }
        }
        let responder = Older()
        downloader.authenticationChallengeResponder = responder
        #expect(try await download().image.size.width == 4)
        withExtendedLifetime(responder) {}
    }

    @Test func `a downloader trusts its trusted hosts, with a responder and without`() async throws {
        downloader.trustedHosts = ["127.0.0.1"]
        #expect(try await download().image.size.width == 4)
        final class Indifferent: AuthenticationChallengeResponsible {}
        let responder = Indifferent()
        downloader.authenticationChallengeResponder = responder
        #expect(try await download().image.size.width == 4)
        withExtendedLifetime(responder) {}
    }

    final class Responder: AuthenticationChallengeResponsible, Sendable {
        let shown = Recorder<String>()
        private let decide: @Sendable (ServerTrust) -> URLSession.AuthChallengeDisposition

        init(_ decide: @escaping @Sendable (ServerTrust) -> URLSession.AuthChallengeDisposition) {
            self.decide = decide
        }

        func downloader(
            _ downloader: ImageDownloader,
            didReceive challenge: URLAuthenticationChallenge
        ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
            let space = challenge.protectionSpace
            guard space.authenticationMethod == NSURLAuthenticationMethodServerTrust,
                let trust = space.serverTrust
            else { return (.performDefaultHandling, nil) }
            shown.append(
                "\(space.host) \(trust.certificates.first?.subject ?? "-") \(trust.certificates.count)")
            return (decide(trust), URLCredential(trust: trust))
        }
    }
}
