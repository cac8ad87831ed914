#if Video
    import Alcedo
    import AlcedoHTTPServer
    import AlcedoLocks
    import AlcedoPixels
    import AlcedoTestSupport
    import AlcedoTransport
    import Foundation
    import Testing

    @testable import AlcedoServer

    /// Does not say which transfer it has started before that has ended, or waits for a decision.
    private final class LateTransport: Transport {
        private final class Handler: TransportHandler {
            let base: any TransportHandler
            let settled = Gate()

            init(_ base: any TransportHandler) { self.base = base }

            func transfer(
                didReceive response: TransportResponse, decide: @escaping @Sendable (Bool) -> Void
            ) {
                let isDecided = Lock(false)
                base.transfer(didReceive: response) { decision in
                    isDecided.withLock { $0 = true }
                    decide(decision)
                }
                if !isDecided.withLock({ $0 }) { settled.open() }
            }

            func transfer(didReceive chunk: RawSpan, received: Int64, expected: Int64?) {
                base.transfer(didReceive: chunk, received: received, expected: expected)
            }

            func transferDidFinish(_ result: Result<TransferResult, TransportError>) {
                base.transferDidFinish(result)
                settled.open()
            }
        }

        private let base = CurlTransport()

        func start(_ request: TransportRequest, handler: any TransportHandler) -> any TransportTask {
            let handler = Handler(handler)
            let task = base.start(request, handler: handler)
            handler.settled.wait()
            return task
        }
    }

    @Suite(.timeLimit(.minutes(10))) struct `A video as a source` {
        private var origin: ImageOrigin
        private let video: [UInt8]

        init() throws {
            origin = try ImageOrigin { $0.responses.showsVideoFrames = true }
            video = try Fixture.videoWithLateIndex()
        }

        private func serve(_ headers: [(String, String)] = [("ETag", "\"1\"")]) {
            origin.server.serveParts("/v", video) { _ in headers }
        }

        private var ranges: [String?] { origin.server.requests().map { $0.header("Range") } }

        /// The grey of frame 10 is 116.
        private func frame(_ options: String, _ path: String = "/v") async throws -> Int {
            let pixel = try await origin.bitmap(options, path).pixel(3, 3)
            return Int((Double(pixel[1]) * 219 / 255 / 10).rounded())
        }

        @Test func `a video is loaded by its parts, and its frame is resized, encoded and kept`() async throws
        {
            serve([("ETag", "\"1\""), ("Last-Modified", "Tue, 24 Nov 2026 10:00:00 GMT")])
            let response = await origin.get("w:32", "/v")
            #expect(response.status == 200 && response.format == .jpeg, "\(response.reason ?? "")")
            #expect(response.size == PixelSize(width: 32, height: 24))
            #expect(response.header("ETag") == "\"1\"")
            #expect(response.header("Last-Modified") == "Tue, 24 Nov 2026 10:00:00 GMT")
            let index = (video.count - 981) / 65_536 * 65_536
            #expect(ranges == [nil, "bytes=0-262143", "bytes=\(index)-\(video.count - 1)"])
            #expect(origin.server.requests().map { $0.header("If-Range") } == [nil, nil, "\"1\""])
            let again = await origin.get("w:32", "/v")
            #expect(again.tier == .memory && again.body == response.body && ranges.count == 3)
            let known = await origin.get("w:32", "/v", headers: [("If-None-Match", "\"1\"")])
            #expect(known.status == 304)
            #expect(await origin.get("w:32", "/v", format: "webp").format == .webp)
        }

        @Test func `a video is not loaded whole although its response comes before its task`() async throws {
            serve()
            let request = try TransportRequest(address: origin.server.address("/v"))
            let loaded = await RemoteSource.load(request, stopsAtVideo: true, with: LateTransport())
            let response = try loaded.get()
            #expect(response.isUnreadVideo && response.status == 200 && response.result.body.isEmpty)
            #expect(response.head.etag == "\"1\"")
        }

        @Test func `the time of a video's frame is that of the URL, or of the settings`() async throws {
            serve()
            #expect(try await frame("w:64") == 10)
            #expect(try await frame("vts:0") == 0)
            #expect(try await frame("video_thumbnail_second:0.55") == 5)
            var origin = origin
            origin.rules.defaults.videoSecond = 1.5
            #expect(try await origin.bitmap("w:64", "/v").pixel(3, 3)[1] > 160)
        }

        @Test func `after a video's end its last frame is shown`() async throws {
            serve()
            #expect(try await frame("vts:100") == 19)
            origin.server.serve("/short.ts", try Fixture.data("video/h264.ts"))
            #expect(try await frame("vts:100", "/short.ts") == 19)
        }

        @Test func `a short video needs one request, and one of a server without ranges two`() async throws {
            origin.server.serve("/short", try Fixture.data("video/vp9.webm"))
            #expect(try await frame("vts:1", "/short") == 10)
            #expect(ranges == [nil])
            origin.server.serve("/v", video)
            #expect(try await frame("vts:1") == 10)
            #expect(ranges == [nil, nil, "bytes=0-262143"])
        }

        @Test func `a video may be longer than a source, but not what is loaded of it`() async throws {
            var origin = origin
            origin.sources.maxFileSize = 1 << 20
            serve()
            #expect(await origin.get("w:32", "/v").status == 200)
            #expect(ranges.count == 3)
            origin.server.serve("/whole", video)
            let whole = await origin.get("w:32", "/whole")
            #expect(whole.status == 422 && whole.reason?.contains("limit of 1048576 bytes") == true)
            let picture = [UInt8]("GIF89a".utf8) + [UInt8](repeating: 0, count: 2 << 20)
            origin.server.serveParts("/picture", picture)
            let large = await origin.get("w:32", "/picture")
            #expect(large.status == 422 && large.reason?.contains("limit of 1048576 bytes") == true)
        }

        @Test func `a video that changes between two parts is an error, and is loaded anew`() async throws {
            origin.server.serveParts("/v", video) { [("ETag", "\"\(min($0, 3))\"")] }
            let response = await origin.get("w:32", "/v")
            #expect(response.status == 404 && response.reason?.contains("has changed") == true)
            #expect(await origin.get("w:32", "/v").status == 200)
        }

        @Test func `a frame is revalidated by the video's tag`() async throws {
            serve([("ETag", "\"1\""), ("Cache-Control", "max-age=60")])
            _ = await origin.get("w:32", "/v")
            origin.server.serve("/v", .status(304, headers: [("ETag", "\"1\"")]))
            let response = await origin.get("w:32", "/v", headers: [("Cache-Control", "no-cache")])
            #expect(response.status == 200 && response.size == PixelSize(width: 32, height: 24))
            let last = try #require(origin.server.requests().last)
            #expect(last.header("If-None-Match") == "\"1\"" && origin.server.requestCount() == 4)
        }

        @Test func `originals of videos are their frames`() async throws {
            var origin = origin
            origin.responses.keepsOriginals = true
            serve()
            for width in [32, 16] { #expect(await origin.get("w:\(width)", "/v").status == 200) }
            #expect(ranges.count == 3)
            #expect(try await origin.bitmap("w:64/vts:0", "/v").pixel(3, 3)[1] < 10)
            #expect(ranges.count == 6)
        }

        @Test func `each part of a video is requested within the rules`() async throws {
            let target = "http://10.0.0.1/v"
            let (body, first) = (Reply(body: video), video.prefix(262_144))
            let range = ("Content-Range", "bytes 0-262143/\(video.count)")
            origin.server.route("/v") { request in
                switch request.header("Range") {
                case nil: body
                case "bytes=0-262143": Reply(status: 206, body: Array(first), headers: [range])
                default: .redirect(to: target)
                }
            }
            let response = await origin.get("w:32", "/v")
            #expect(response.status == 404 && response.text.contains("Invalid source URL"))
            origin.server.serveParts("/gone", video) { _ in [] }
            var limited = origin
            limited.responses.maxSourceResolution = 0.001
            let large = await limited.get("w:32", "/gone")
            #expect(large.status == 422 && large.reason?.contains("pixels") == true)
        }

        @Test func `a video in the local root is read where it is needed`() async throws {
            let folder = try TemporaryDirectory()
            var origin = origin
            (origin.sources.localRoot, origin.sources.maxFileSize) = (folder.path, 1 << 20)
            try Data(video).write(to: folder.file("a.mp4"))
            let request = HTTPRequest.get("/unsafe/w:32/plain/local:///a.mp4")
            let response = await origin.handler.patientResponse(to: request)
            #expect(response.status == 200 && response.size == PixelSize(width: 32, height: 24))
            try Data(try Bitmap.coordinates(40, 20).encoded(as: .png)).write(to: folder.file("a.mp4"))
            let changed = await origin.handler.patientResponse(to: request)
            #expect(changed.size == PixelSize(width: 32, height: 16))
        }

        @Test func `each part of a video in an object store is signed`() async throws {
            let bucket = try BucketOrigin { $0.responses.showsVideoFrames = true }
            bucket.server.serveParts("/pictures/v.mp4", video)
            let response = await bucket.get("w:32", "pictures/v.mp4")
            #expect(response.size == PixelSize(width: 32, height: 24), "\(response.reason ?? "")")
            let requests = bucket.server.requests()
            #expect(requests.count == 3 && requests.allSatisfy { $0.header("Authorization") != nil })
        }

        @Test func `a video without frames, and one that lacks what it needs, is an error`() async throws {
            origin.server.serve("/sound", try Fixture.data("video/cover.m4a"))
            origin.server.serve("/cut", Array(try Fixture.data("video/h264.mp4").prefix(500)))
            for path in ["/sound", "/cut"] {
                let response = await origin.get("w:32", path)
                #expect(response.status == 422 && response.reason?.contains("video") == true)
            }
        }

        @Test func `without the setting a video is an error that names it`() async throws {
            var origin = origin
            origin.responses.showsVideoFrames = false
            origin.server.serve("/short", try Fixture.data("video/h264.mp4"))
            let response = await origin.get("w:32/vts:1", "/short")
            #expect(response.status == 422)
            #expect(response.reason?.contains("ENABLE_VIDEO_THUMBNAILS") == true)
        }
    }

    struct `Settings of videos` {
        @Test func `settings of videos turn frames on, and choose their time`() throws {
            let settings = try SettingTexts(environment: [
                "IMGPROXY_ENABLE_VIDEO_THUMBNAILS": "true", "IMGPROXY_VIDEO_THUMBNAIL_SECOND": "2.5",
            ]).settings()
            #expect(settings.responses.showsVideoFrames)
            #expect(try Reading.options("", rules: settings.urls).videoSecond == 2.5)
            #expect(try Reading.options("vts:7.25", rules: settings.urls).videoSecond == 7.25)
            let texts = try SettingTexts(environment: ["ALCEDO_VIDEO_THUMBNAIL_SECOND": "2"])
            #expect(texts.warnings.first?.contains("ENABLE_VIDEO_THUMBNAILS=true") == true)
        }

        @Test(arguments: ["vts:", "vts:-1", "vts:x", "vts:1:2", "vts:nan", "vts:inf"])
        func `a time of a video's frame that is no number of seconds is rejected`(_ option: String) {
            #expect(Reading.optionFailure(option) == .invalidURL)
        }
    }
#endif
