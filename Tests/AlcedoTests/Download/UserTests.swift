import AlcedoTestSupport
import Foundation
import FoundationNetworking
import Testing

@testable import Alcedo
@testable import EngineFixtures

/// Decides about redirects as an object; all are of one type.
private final class Follower: ImageDownloadRedirectHandler {
    func handleHTTPRedirection(
        for task: SessionDataTask, response: HTTPURLResponse, newRequest: URLRequest
    ) async -> URLRequest? { newRequest }
}

/// Decides about redirects as a value, which can't be compared.
private struct Passer: ImageDownloadRedirectHandler {
    func handleHTTPRedirection(
        for task: SessionDataTask, response: HTTPURLResponse, newRequest: URLRequest
    ) async -> URLRequest? { newRequest }
}

@Suite(.timeLimit(.minutes(10)))
struct `Downloads of one URL by several users` {
    private let loading: Loading
    private let gate = Gate()
    private var downloader: ImageDownloader { loading.downloader }
    private var server: LoopbackServer { loading.server }
    private var url: URL { server.url("/a") }

    init() throws {
        loading = try Loading()
        server.serve("/a", Reply(body: try Sample.png(3, 3)).hold(.head, until: gate))
    }

    private static func modifier(
        _ change: @escaping @Sendable (inout URLRequest) -> Void
    ) -> KingfisherOptionsInfoItem {
        .requestModifier(
            AnyModifier { request in
                var request = request
                change(&request)
                return request
            })
    }

    private static func field(_ name: String, _ value: String) -> KingfisherOptionsInfoItem {
        modifier { $0.setValue(value, forHTTPHeaderField: name) }
    }

    private func download(
        _ item: KingfisherOptionsInfoItem?, user: String? = nil,
        _ completion: (@Sendable (Result<ImageLoadingResult, KingfisherError>) -> Void)? = nil
    ) -> DownloadTask {
        var options = KingfisherParsedOptionsInfo([.callbackQueue(.untouch)] + (item.map { [$0] } ?? []))
        options.downloadContext.credential = user.map {
            URLCredential(user: $0, password: "secret", persistence: .none)
        }
        return downloader.downloadImage(with: url, options: options, completionHandler: completion)
    }

    struct Pair: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var first: KingfisherOptionsInfoItem?
        var second: KingfisherOptionsInfoItem?
        var users: (String?, String?) = (nil, nil)
    }

    private static let handler = AnyRedirectHandler { _, _, request, decide in decide(request) }
    private static let follower = Follower()

    static let different =
        ["Authorization", "Cookie", "Proxy-Authorization", "X-User"].map {
            Pair(testDescription: $0, first: field($0, "anna"), second: field($0, "ben"))
        } + [
            // Equal as strings, but not as bytes.
            Pair(
                testDescription: "composed characters", first: field("Cookie", "ren\u{e9}"),
                second: field("Cookie", "rene\u{301}")),
            Pair(testDescription: "composed user", users: ("ren\u{e9}", "rene\u{301}")),
            Pair(testDescription: "with and without a field", first: field("Authorization", "anna")),
            Pair(
                testDescription: "method", first: modifier { $0.httpMethod = "POST" },
                second: modifier { $0.httpMethod = "PUT" }),
            Pair(
                testDescription: "body", first: modifier { $0.httpBody = Data("anna".utf8) },
                second: modifier { $0.httpBody = Data("ben".utf8) }),
            Pair(testDescription: "credential", users: ("anna", "ben")),
            Pair(testDescription: "credential and none", users: ("anna", nil)),
            Pair(
                testDescription: "redirect closures", first: .redirectHandler(handler),
                second: .redirectHandler(AnyRedirectHandler { _, _, request, decide in decide(request) })),
            Pair(
                testDescription: "redirect handlers", first: .redirectHandler(Follower()),
                second: .redirectHandler(follower)),
            Pair(
                testDescription: "values as redirect handlers", first: .redirectHandler(Passer()),
                second: .redirectHandler(Passer())),
            Pair(testDescription: "redirect handler and none", first: .redirectHandler(follower)),
        ]

    static let equal = [
        Pair(testDescription: "nothing"),
        Pair(testDescription: "a modifier without effect", first: modifier { _ in }),
        Pair(
            testDescription: "field names", first: field("Authorization", "anna"),
            second: field("authorization", "anna")),
        Pair(testDescription: "credential", users: ("anna", "anna")),
        Pair(
            testDescription: "redirect closure", first: .redirectHandler(handler),
            second: .redirectHandler(handler)),
        Pair(
            testDescription: "redirect handler", first: .redirectHandler(follower),
            second: .redirectHandler(follower)),
    ]

    @Test(arguments: different)
    func `downloads of one URL by several users are not coalesced`(_ pair: Pair) throws {
        let first = download(pair.first, user: pair.users.0)
        let second = download(pair.second, user: pair.users.1)
        let task = try #require(first.sessionTask)
        #expect(task !== second.sessionTask)
        gate.open()
    }

    @Test(arguments: equal)
    func `downloads of one URL are coalesced if nothing differs`(_ pair: Pair) throws {
        let first = download(pair.first, user: pair.users.0)
        let second = download(pair.second, user: pair.users.1)
        let task = try #require(first.sessionTask)
        #expect(task === second.sessionTask)
        gate.open()
    }

    @Test func `downloads of one URL by several users end with each user's own image`() async throws {
        let bodies = ["anna": try Sample.png(4, 4), "ben": try Sample.png(5, 5)]
        server.route("/a") { [gate] request in
            Reply(body: request.header("Authorization").flatMap { bodies[$0] } ?? [])
                .header("Cache-Control", "private, no-store").hold(.head, until: gate)
        }
        let widths = Recorder<String>()
        for user in ["anna", "ben", "anna"] {
            _ = download(Self.field("Authorization", user)) { result in
                widths.append("\(user) \((try? result.get())?.image.pixelSize.width ?? 0)")
            }
        }
        gate.open()
        await widths.waitFor(count: 3)
        #expect(widths.values.sorted() == ["anna 4", "anna 4", "ben 5"])
        #expect(server.requestCount() == 2)
    }

    @Test func `downloads of one URL by several users are all cancelled by the URL`() async {
        let ends = Recorder<Bool>()
        for item in [nil, Self.field("Authorization", "anna"), .redirectHandler(Self.follower)] {
            _ = download(item) { ends.append($0.error?.isTaskCancelled == true) }
        }
        downloader.cancel(url: url)
        await ends.waitFor(count: 3)
        #expect(ends.values == [true, true, true])
        gate.open()
    }

    // MARK: - Failures that are remembered

    private func error(_ item: KingfisherOptionsInfoItem?) async -> KingfisherError? {
        await kingfisherError {
            try await downloader.downloadImage(with: url, options: item.map { [$0] } ?? [])
        }
    }

    @Test func `downloads of one URL by several users remember their failures apart`() async throws {
        downloader.failureMemory = FailureMemory()
        gate.open()
        let png = try Sample.png(3, 3)
        server.route("/a") { $0.header("Authorization") == "anna" ? .status(404) : Reply(body: png) }
        #expect(await error(Self.field("Authorization", "anna")) != nil)
        #expect(await error(Self.field("Authorization", "anna"))?.rememberedFailure?.status == 404)
        #expect(await error(Self.field("Authorization", "ben")) == nil)
        #expect(await error(nil) == nil)
        #expect(server.requestCount() == 3)
        #expect(downloader.rememberedFailure(of: url)?.status == 404)
        downloader.forgetFailure(of: url)
        #expect(downloader.rememberedFailure(of: url) == nil)
        #expect(await error(Self.field("Authorization", "anna"))?.rememberedFailure == nil)
    }

    @Test func `no failure to which one user's redirect handler has led is remembered`() async {
        downloader.failureMemory = FailureMemory()
        gate.open()
        server.serve("/a", Reply.redirect(to: "/b"))
        server.serve("/b", Reply.status(404))
        for _ in 0..<2 {
            #expect(await error(.redirectHandler(Self.follower))?.rememberedFailure == nil)
        }
        server.serve("/a", Reply.status(404))
        #expect(await error(.redirectHandler(Self.follower))?.rememberedFailure == nil)
        #expect(await error(.redirectHandler(Follower()))?.rememberedFailure?.status == 404)
    }
}
