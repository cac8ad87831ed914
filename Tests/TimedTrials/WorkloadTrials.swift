import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

/// What ``KingfisherManager/configure(for:)`` saves, in requests and bytes of one program's evening.
@Suite(.serialized, .timeLimit(.minutes(10))) struct `A configured manager` {
    private struct Figures: Equatable {
        /// Until the server's pictures change.
        var requests = 0
        var bytes = 0
        var memoryHits = 0

        /// Of a list of 100 pictures, each visible for 5 ms.
        var flung = 0

        /// Afterwards.
        var oldPictures = 0
        var confirmations = 0
    }

    @Test func `a configured manager costs its origin less, and shows no old picture`() async throws {
        let plain = try await evening(nil)
        print("unconfigured: \(text(plain))")
        for workload in KingfisherManager.Workload.allCases {
            let configured = try await evening(workload)
            print("\(workload): \(text(configured))")
            #expect(configured.requests < plain.requests)
            // The first half of the large picture is a third of all bytes.
            #expect(configured.bytes < plain.bytes * 3 / 4)
            #expect(plain.oldPictures == 20 && configured.oldPictures == 0)
            #expect(plain.memoryHits == 0 && configured.memoryHits == 20)
            if workload == .app { #expect(configured.flung < plain.flung) }
        }
    }

    private func text(_ figures: Figures) -> String {
        "\(figures.requests) requests, \(figures.bytes) bytes, "
            + "\(figures.memoryHits) of 20 in memory after it was cleared, \(figures.flung) of 100 flung past; "
            + "\(figures.confirmations) requests later \(figures.oldPictures) of 20 old pictures"
    }

    private func evening(_ workload: KingfisherManager.Workload?) async throws -> Figures {
        let (server, folder) = (try LoopbackServer(), try TemporaryDirectory())
        let cache = try ImageCache(name: "trial", cacheDirectoryURL: folder.file("cache"))
        let downloader = ImageDownloader(name: "trial")
        let manager = KingfisherManager(downloader: downloader, cache: cache)
        manager.defaultOptions = [.callbackQueue(.untouch), .waitForCache]
        if let workload {
            downloader.resumableDownloads = ResumableDownloads(directory: folder.file("partial"))
            manager.configure(for: workload)
        }
        let (bytes, changes) = (CallCounter(), CallCounter())
        try serve(by: server, bytes, changes)

        var figures = Figures()
        // 20 pictures that do not exist, on a screen that is opened five times.
        for _ in 0..<5 {
            for number in 0..<20 {
                _ = try? await manager.retrieveImage(with: server.url("/missing/\(number)"))
            }
        }
        // A large one, whose first transfer breaks.
        for _ in 0..<2 { _ = try? await manager.retrieveImage(with: server.url("/large")) }
        // 20 pictures in two sizes, of which the second is made of the first.
        let small = DownsamplingImageProcessor(size: CGSize(width: 100, height: 100))
        let round = small |> RoundCornerImageProcessor(cornerRadius: 8)
        var shown: [KFCrossPlatformImage] = []
        for number in 0..<20 {
            let url = server.url("/picture/\(number)")
            shown.append(try await manager.retrieveImage(with: url, options: [.processor(small)]).image)
            _ = try await manager.retrieveImage(with: url, options: [.processor(round)])
        }
        // The memory is cleared while a view shows them.
        cache.clearMemoryCache()
        for number in 0..<20 {
            let options: KingfisherOptionsInfo = [.processor(small), .onlyFromCache]
            let result = try await manager.retrieveImage(
                with: server.url("/picture/\(number)"), options: options)
            if result.cacheType == .memory { figures.memoryHits += 1 }
        }
        withExtendedLifetime(shown) {}
        (figures.requests, figures.bytes) = (server.requestCount(), bytes.value)
        figures.flung = await fling(past: server, manager)
        let requests = server.requestCount()
        // The server gets other pictures, which are twice as wide as high.
        changes.increment()
        for number in 0..<20 {
            let url = server.url("/picture/\(number)")
            let image = try await manager.retrieveImage(with: url, options: [.processor(small)]).image
            if image.pixelSize.width == image.pixelSize.height { figures.oldPictures += 1 }
        }
        figures.confirmations = server.requestCount() - requests
        return figures
    }

    /// The requests for pictures that are visible for too short a time to see them.
    private func fling(past server: LoopbackServer, _ manager: KingfisherManager) async -> Int {
        let before = server.requestCount()
        for number in 0..<100 {
            let url = server.url("/flung/\(number)")
            let task = manager.retrieveImage(with: url, completionHandler: { _ in })
            let end = ContinuousClock.now + .milliseconds(5)
            while ContinuousClock.now < end { await Task.yield() }
            task?.cancel()
        }
        return server.requestCount() - before
    }

    private func serve(by server: LoopbackServer, _ bytes: CallCounter, _ changes: CallCounter) throws {
        for number in 0..<20 { server.route("/missing/\(number)") { _ in .status(404) } }
        // More than 64 KiB of it arrive: less is not resumed.
        let large = [UInt8](try Fixture.data("exif-orientation/Landscape_1.jpg"))
        let (cut, attempts) = (large.count / 2, CallCounter())
        server.route("/large") { request in
            let headers = [("ETag", "\"1\"")]
            if attempts.increment() == 1 {
                bytes.increment(by: cut)
                return Reply(body: large, headers: headers).cut(after: cut)
            }
            guard let range = request.header("Range"), let start = Int(range.dropFirst(6).dropLast()) else {
                bytes.increment(by: large.count)
                return Reply(body: large, headers: headers)
            }
            bytes.increment(by: large.count - start)
            return Reply(
                status: 206, body: Array(large[start...]),
                headers: headers + [("Content-Range", "bytes \(start)-\(large.count - 1)/\(large.count)")])
        }
        let (old, new) = ([UInt8](try picture(200, 200)), [UInt8](try picture(400, 200)))
        for number in 0..<20 {
            server.route("/picture/\(number)") { request in
                let (tag, body) = changes.value > 0 ? ("\"2\"", new) : ("\"1\"", old)
                let headers = [("ETag", tag), ("Cache-Control", "no-cache")]
                if request.header("If-None-Match") == tag { return .status(304, headers: headers) }
                bytes.increment(by: body.count)
                return Reply(body: body, contentType: "image/png", headers: headers)
            }
        }
    }

    private func picture(_ width: Int, _ height: Int) throws -> Data {
        try Image(
            bitmap: BitmapCanvas(
                size: PixelSize(width: width, height: height),
                background: RasterColor(red: 0.8, green: 0.4, blue: 0.1)
            ).finish()
        ).data(as: .png)
    }
}
