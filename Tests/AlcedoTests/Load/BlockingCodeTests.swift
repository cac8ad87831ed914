import AlcedoTestSupport
import AlcedoTransport
import Foundation
import FoundationNetworking
import Testing

@testable import Alcedo
@testable import AlcedoLocks
@testable import EngineFixtures

/// Serialized, because more code than there are threads for it must not wait for the rest of it.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct `Code of the program that blocks` {
    enum Kind: String, CaseIterable {
        case provider, asyncProvider, loader, modifier, asyncModifier, interceptor, networkInterceptor
        case redirect, challenge, willDownload, didReceiveResponse, didDownload, retry, store
        case serializerReading, serializerWriting, imageModifier

        /// How the names of its threads begin.
        var threads: String {
            switch self {
            case .provider, .asyncProvider: "alcedo-data-"
            case .loader, .modifier, .asyncModifier, .retry: "alcedo-start-"
            case .interceptor, .networkInterceptor: "alcedo-pass-"
            case .redirect: "alcedo-reply-"
            // Of each downloader, so that none stops another.
            case .challenge, .willDownload, .didReceiveResponse, .didDownload: "alcedo-deleg-"
            case .store: "alcedo-store-"
            case .serializerReading, .serializerWriting, .imageModifier: "alcedo-image-"
            }
        }
    }

    private let loading: Loading

    /// Another host, because a transfer that waits for a decision keeps its connection.
    private let otherServer: LoopbackServer
    private let blocking: Blocking
    private let ended = Recorder<Bool>()
    private let owner = Recorder<Blocking.Delegate>()
    private var gate: Gate { blocking.gate.gate }
    private var manager: KingfisherManager { loading.manager }

    /// More than Alcedo has threads for anything else, and fewer than it has for code of the program.
    private let count = 40

    init() throws {
        loading = try Loading()
        otherServer = try LoopbackServer()
        blocking = Blocking(image: Data(try Sample.png(3, 3)))
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpMaximumConnectionsPerHost = 64
        loading.downloader.sessionConfiguration = configuration
        let image = try Sample.png(4, 4)
        loading.server.serve("/a", image)
        otherServer.serve("/other", image)
        loading.server.route("/moved") { _ in Reply.redirect(to: "/a") }
        loading.server.route("/secret") { _ in
            Reply.status(401, headers: [("WWW-Authenticate", #"Basic realm="pictures""#)])
        }
    }

    /// The source and the options of a load that runs the code.
    private func load(_ kind: Kind, _ number: Int) -> (Source, KingfisherOptionsInfo) {
        let url = loading.server.url("/a?\(number)")
        func delegate(_ delegate: Blocking.Delegate) {
            // Kept, because the downloader does not.
            owner.append(delegate)
            loading.downloader.delegate = delegate
        }
        let gate = blocking.gate
        switch kind {
        case .provider:
            return (.provider(Blocking.Provider(cacheKey: "\(number)", blocking: blocking)), [])
        case .asyncProvider:
            return (.provider(Blocking.AsyncProvider(cacheKey: "\(number)", blocking: blocking)), [])
        case .loader:
            let loaders = ImageLoaderRegistry()
            loaders.register(scheme: url.scheme ?? "") { _ in
                gate.wait()
                return nil
            }
            return (.network(url), [.loaders(loaders)])
        case .modifier: return (.network(url), [.requestModifier(Blocking.Modifier(gate: gate))])
        case .asyncModifier: return (.network(url), [.requestModifier(Blocking.AsyncModifier(gate: gate))])
        case .interceptor, .networkInterceptor:
            let interceptor = Interceptor { request, next in
                gate.wait()
                return try await next(request)
            }
            return (
                .network(url),
                kind == .interceptor ? [.interceptors([interceptor])] : [.networkInterceptors([interceptor])]
            )
        case .redirect:
            let handler = AnyRedirectHandler { _, _, request, decide in
                gate.wait()
                decide(request)
            }
            return (.network(loading.server.url("/moved?\(number)")), [.redirectHandler(handler)])
        case .challenge:
            if number == 0 {
                owner.append(Blocking.Delegate(challenge: gate))
                loading.downloader.authenticationChallengeResponder = owner.values.last
            }
            return (.network(loading.server.url("/secret?\(number)")), [])
        case .willDownload: if number == 0 { delegate(Blocking.Delegate(start: gate)) }
        case .didReceiveResponse: if number == 0 { delegate(Blocking.Delegate(response: gate)) }
        case .didDownload: if number == 0 { delegate(Blocking.Delegate(body: gate)) }
        case .retry:
            return (
                .network(loading.server.url("/missing?\(number)")),
                [.retryStrategy(Blocking.Strategy(gate: gate))]
            )
        case .store:
            let store = SharedImageCache(
                Blocking.Store(gate: gate),
                settings: SharedCacheSettings {
                    ($0.epoch, $0.lookupTimeout) = (.fixed(1), .seconds(1_000))
                })
            return (.network(url), [.sharedCache(store)])
        case .serializerReading: return (.network(url), [.cacheSerializer(SlowToRead(gate: gate.gate))])
        case .serializerWriting:
            return (.network(url), [.cacheSerializer(Gated(gate: gate.gate)), .waitForCache])
        case .imageModifier:
            let modifier = AnyImageModifier { image in
                gate.wait()
                return image
            }
            return (.network(url), [.imageModifier(modifier)])
        }
        return (.network(url), [])
    }

    @discardableResult
    private func start(_ kind: Kind, _ number: Int) -> DownloadTask? {
        let (source, options) = load(kind, number)
        return manager.retrieveImage(with: source, options: options) { [ended] in
            ended.append((try? $0.get()) != nil)
        }
    }

    /// Prepares what ``otherLoads()`` finds in memory and on disk, and what the code finds on disk.
    private func fillCache(for kind: Kind) async throws {
        let cache = loading.cache
        try await cache.storeToDisk(blocking.image, forKey: "on disk")
        try await cache.store(Image(bitmap: try Sample.bitmap(2, 2)), forKey: "in memory", toDisk: false)
        guard kind == .serializerReading else { return }
        for number in 0..<count {
            try await cache.storeToDisk(
                blocking.image, forKey: loading.server.url("/a?\(number)").absoluteString)
        }
    }

    /// Loads from all places without code of the program's, and returns the widths of the images.
    private func otherLoads() async throws -> [Int] {
        // A delegate delays the loads of its own downloader.
        let downloader = ImageDownloader(name: "other")
        downloader.downloadTimeout = 120
        let decode: KingfisherOptionsInfo = [.downloader(downloader), .backgroundDecode]
        let blur = BlurImageProcessor(blurRadius: 1)
        var widths: [Int] = []
        for (source, options) in [
            (Source.provider(RawImageDataProvider(data: blocking.image, cacheKey: "in memory")), decode),
            (.provider(RawImageDataProvider(data: blocking.image, cacheKey: "on disk")), decode),
            (.provider(RawImageDataProvider(data: blocking.image, cacheKey: "raw")), decode),
            (.network(otherServer.url("/other")), decode + [.processor(blur)]),
        ] {
            let image = try await manager.retrieveImage(with: source, options: options).image
            widths.append(Int(image.size.width))
        }
        return widths
    }

    @Test(arguments: Kind.allCases)
    func `a program's code that blocks stops no task and no other load`(kind: Kind) async throws {
        try await fillCache(for: kind)
        for number in 0..<count { start(kind, number) }
        await gate.waitForArrivals(count)
        // There may be more cores than `count`, and as many threads for anything else.
        #expect(blocking.gate.threads.values.allSatisfy { $0.hasPrefix(kind.threads) })
        let tasks = [TaskPriority.low, .medium, .high].map { Task.detached(priority: $0) { 1 } }
        for task in tasks { #expect(await task.value == 1) }
        #expect(try await otherLoads() == [2, 3, 3, 4])
        #expect(ended.count == 0)
        gate.open()
        await ended.waitFor(count: count)
        #expect(ended.values.allSatisfy { $0 == ![.challenge, .retry].contains(kind) })
    }

    @Test(arguments: Kind.allCases)
    func `a program's code that blocks is left behind by a load that is cancelled`(kind: Kind) async throws {
        try await fillCache(for: kind)
        let task = try #require(start(kind, 0))
        await gate.waitForArrivals(1)
        task.cancel()
        #expect(await ended.waitFor(count: 1) == [false])
        gate.open()
    }

    @Test(arguments: [false, true])
    func `the program is asked on threads for its code whether the network is constrained`(
        isIntercepted: Bool
    ) async throws {
        let gate = blocking.gate
        gate.gate.open()
        loading.downloader.isNetworkConstrained = {
            gate.wait()
            return false
        }
        var options: KingfisherOptionsInfo = [.lowDataMode(.network(loading.server.url("/small")))]
        if isIntercepted {
            let interceptor = Interceptor { request, next in try await next(request) }
            options.append(.networkInterceptors([interceptor]))
        }
        manager.retrieveImage(with: loading.server.url("/a"), options: options) { [ended] in
            ended.append((try? $0.get()) != nil)
        }
        #expect(await ended.waitFor(count: 1) == [true])
        let threads = gate.threads.values
        #expect(threads.count == 1 && threads.allSatisfy { $0.hasPrefix("alcedo-start-") })
    }

    @Test func `a load that is cancelled in a loader's block asks no provider`() async throws {
        let (isReleased, calls) = (Gate(), CallCounter())
        let cancelled = Recorder<DownloadTask>()
        /// Reports when nothing needs it any more.
        final class Loaded: ImageDataProvider {
            let cacheKey = "loaded"
            let (isReleased, calls): (Gate, CallCounter)

            init(_ isReleased: Gate, _ calls: CallCounter) {
                (self.isReleased, self.calls) = (isReleased, calls)
            }
            deinit { isReleased.open() }

            func data(handler: @escaping @Sendable (Result<Data, any Error>) -> Void) {
                calls.increment()
                handler(.success(Data()))
            }
        }
        let loaders = ImageLoaderRegistry()
        let url = loading.server.url("/a")
        let gate = gate
        loaders.register(scheme: url.scheme ?? "") { _ in
            gate.wait()
            for task in cancelled.values { task.cancel() }
            return .provider(Loaded(isReleased, calls))
        }
        let task = manager.retrieveImage(with: url, options: [.loaders(loaders)]) { [ended] in
            ended.append((try? $0.get()) != nil)
        }
        cancelled.append(try #require(task))
        gate.open()
        await isReleased.pass()
        #expect(calls.value == 0)
        #expect(await ended.waitFor(count: 1) == [false])
    }

    @Test
    func `a program's code waits where all its threads are taken, and is cancelled there too`() async throws {
        try await fillCache(for: .provider)
        let most = ProgramThreads.providers.limit
        for number in 0..<most { start(.provider, number) }
        await gate.waitForArrivals(most)
        let tasks = (most..<500).map { start(.provider, $0) }
        #expect(try await otherLoads() == [2, 3, 3, 4])
        #expect(ended.count == 0)
        for task in tasks { task?.cancel() }
        #expect(await ended.waitFor(count: 500 - most) == Array(repeating: false, count: 500 - most))
        #expect(gate.arrivals == most)
        gate.open()
        await ended.waitFor(count: 500)
    }

    @Test func `a program's code that blocks does not block a task that awaits a load`() async throws {
        try await fillCache(for: .modifier)
        let (downloader, options) = (loading.downloader, load(.modifier, 0).1)
        let urls = (0..<count).map { loading.server.url("/a?\($0)") }
        let downloads = urls.prefix(count / 2).map { url in
            Task { try await downloader.downloadImage(with: url, options: options) }
        }
        let loads = urls.suffix(count / 2).map { url in
            Task { try await manager.retrieveImage(with: url, options: options + [.forceRefresh]) }
        }
        await gate.waitForArrivals(count)
        #expect(try await otherLoads() == [2, 3, 3, 4])
        downloads.first?.cancel()
        #expect(await kingfisherError { try await downloads[0].value }?.isTaskCancelled == true)
        gate.open()
        for task in downloads.dropFirst() { _ = try await task.value }
        for task in loads { _ = try await task.value }
    }

    @Test func `a program's provider may wait for a load that it starts`() async throws {
        // A program's provider may use Alcedo itself, and wait for it.
        let url = otherServer.url("/other")
        struct Nested: ImageDataProvider {
            let cacheKey: String
            let manager: KingfisherManager
            let url: URL

            func data(handler: @escaping @Sendable (Result<Data, any Error>) -> Void) {
                let (isDone, data) = (Gate(), Recorder<Data>())
                manager.retrieveImage(with: url, options: [.processor(BlurImageProcessor(blurRadius: 1))]) {
                    result in
                    data.append((try? result.get())?.data() ?? Data())
                    isDone.open()
                }
                isDone.wait()
                handler(.success(data.values.first ?? Data()))
            }
        }
        for number in 0..<count {
            let provider = Nested(cacheKey: "nested \(number)", manager: manager, url: url)
            manager.retrieveImage(with: .provider(provider)) { [ended] in ended.append((try? $0.get()) != nil)
            }
        }
        #expect(await ended.waitFor(count: count) == Array(repeating: true, count: count))
    }
}
