import AlcedoTestSupport
import EngineFixtures
import Foundation
import Testing

@testable import Alcedo

@Suite struct `The plan of a remote video's parts` {
    @Test func `parts of a video are larger the longer they continue each other`() {
        var plan = PartPlan()
        plan.size = 20 << 20
        plan.add(plan.first)
        var lengths: [Int] = []
        for _ in 0..<6 {
            guard let next = plan.next(at: (lengths.reduce(256 << 10, +)) + 5) else { break }
            lengths.append(next.count)
            plan.add(next)
        }
        #expect(lengths == [512, 1024, 2048, 4096, 4096, 4096].map { $0 << 10 })
    }

    @Test func `a part of a video ends where another one is, and at the end`() {
        var plan = PartPlan()
        plan.size = 1_000_000
        plan.add(plan.first)
        #expect(plan.next(at: 999_999) == 983_040..<1_000_000)
        plan.add(983_040..<1_000_000)
        #expect(plan.next(at: 800_000) == 786_432..<983_040)
        #expect(plan.next(at: 5) == nil)
    }

    @Test func `parts of a video are no more than the limits`() {
        var plan = PartPlan()
        plan.size = 1 << 40
        plan.add(plan.first)
        var (count, bytes) = (1, plan.first.count)
        while let next = plan.next(at: bytes) {
            plan.add(next)
            count += 1
            bytes += next.count
        }
        #expect(bytes <= PartialVideo.mostBytes && bytes > PartialVideo.mostBytes - (8 << 20))
        plan = PartPlan()
        plan.size = 1 << 40
        count = 0
        while let next = plan.next(at: count << 30) {
            plan.add(next)
            count += 1
        }
        #expect(count == PartialVideo.mostParts)
    }

    @Test(arguments: [
        "bytes 0-4/5", "bytes 3-3/9", "bytes 0-0/1",
    ])
    func `the field of a part's place is read`(_ text: String) throws {
        let range = try #require(ContentRange(text))
        #expect("bytes \(range.bytes.lowerBound)-\(range.bytes.upperBound - 1)/\(range.size)" == text)
    }

    @Test(arguments: [
        "bytes 0-4/4", "bytes 4-3/9", "bytes 0-4/*", "bytes */9", "items 0-4/5",
        "bytes 0-4/99999999999999999999",
        "bytes -1-4/5", "",
    ])
    func `a field that names no part of a file is rejected`(_ text: String) {
        #expect(ContentRange(text) == nil && ContentRange(nil) == nil)
    }
}

#if Video
    @Suite(.timeLimit(.minutes(10)))
    struct `A provider of a frame of a remote video` {
        private let server: LoopbackServer
        private let folder: TemporaryDirectory
        private let manager: KingfisherManager

        init() throws {
            (server, folder) = (try LoopbackServer(), try TemporaryDirectory())
            manager = KingfisherManager(
                downloader: ImageDownloader(name: "video"),
                cache: try ImageCache(name: "video", cacheDirectoryURL: folder.url))
        }

        /// Packets of no stream between the tables and the frames.
        private static func withLateFrames() throws -> [UInt8] {
            let file = try Fixture.data("video/h264.ts")
            let empty: [UInt8] = [0x47, 0x1F, 0xFF, 0x10] + [UInt8](repeating: 0xFF, count: 184)
            let head = 3 * 188
            let packets = [[UInt8]](repeating: empty, count: 8_000).flatMap { $0 }
            return Array(file[..<head]) + packets + Array(file[head...])
        }

        private func serve(
            _ body: [UInt8], checksTags: Bool = false,
            tag: @escaping @Sendable (Int) -> String = { _ in "\"1\"" }
        ) {
            server.serveParts("/v", body, checksTags: checksTags) { [("ETag", tag($0))] }
        }

        private func provider(_ seconds: Double) -> AVAssetImageDataProvider {
            AVAssetImageDataProvider(assetURL: server.url("/v"), seconds: seconds)
        }

        private func image(
            _ seconds: Double, _ options: KingfisherOptionsInfo = []
        ) async throws -> RetrieveImageResult {
            try await manager.retrieveImage(with: .provider(provider(seconds)), options: options)
        }

        private func grey(_ image: Image) throws -> Int {
            try image.bitmap().withUnsafeBytes { Int($0[0]) }
        }

        private var ranges: [String?] { server.requests().map { $0.header("Range") } }

        @Test func `a remote video with its index at the end is loaded in two parts`() async throws {
            let body = try Fixture.videoWithLateIndex()
            serve(body)
            let loaded = try await image(1)
            #expect(loaded.image.size == CGSize(width: 64, height: 48))
            // Frame 10 has the luma 116.
            #expect(abs(try grey(loaded.image) - 116) <= 4)
            let index = (body.count - 981) / 65_536 * 65_536
            #expect(ranges == ["bytes=0-262143", "bytes=\(index)-\(body.count - 1)"])
            #expect(server.requests().map { $0.header("If-Range") } == [nil, "\"1\""])
            let again = try await image(1)
            #expect(again.cacheType == .memory && server.requestCount() == 2)
        }

        @Test func `a remote video is loaded in growing parts where a decoder reads on`() async throws {
            serve(try Self.withLateFrames())
            #expect(abs(try grey(try await image(1).image) - 116) <= 4)
            #expect(Set(ranges).count == ranges.count && ranges.count <= 6, "\(ranges)")
        }

        @Test func `a remote video of a server without ranges is loaded whole`() async throws {
            server.serve("/v", try Fixture.videoWithLateIndex())
            #expect(abs(try grey(try await image(1).image) - 116) <= 4)
            #expect(server.requestCount() == 1)
        }

        /// A server that honours `If-Range` sends all of the other file.
        @Test(arguments: [false, true])
        func `a remote video that changes between two parts is an error`(honoursIfRange: Bool) async throws {
            serve(try Fixture.videoWithLateIndex(), checksTags: honoursIfRange) { "\"\($0)\"" }
            let error = await #expect(throws: KingfisherError.self) { try await image(1) }
            guard case .imageSettingError(.dataProviderError(_, let cause)) = error,
                case .malformedResponse(let reason, _) = cause as? TransportError
            else {
                Issue.record("that is \(error as Any)")
                return
            }
            #expect(reason.contains("has changed"))
        }

        @Test func `a server that sends another part of a remote video is an error`() async throws {
            server.route("/v") { _ in
                Reply(status: 206, body: [1, 2, 3], headers: [("Content-Range", "bytes 5-7/100")])
            }
            let error = await #expect(throws: KingfisherError.self) { try await provider(0).data() }
            guard case .responseError(reason: .URLSessionError(let cause)) = error,
                case .malformedResponse? = cause.transportError
            else {
                Issue.record("that is \(error as Any)")
                return
            }
        }

        @Test func `the error of a remote video's download is that of the load`() async throws {
            server.serve("/v", .status(404))
            let error = await #expect(throws: KingfisherError.self) { try await image(0) }
            guard case .responseError(.invalidHTTPStatusCode) = error else {
                Issue.record("that is \(error as Any)")
                return
            }
        }

        @Test func `each part of a remote video is requested as the load's options say`() async throws {
            serve(try Fixture.videoWithLateIndex())
            let modifier = AnyModifier { request in
                var request = request
                request.setValue("Bearer a", forHTTPHeaderField: "Authorization")
                return request
            }
            _ = try await image(1, [.requestModifier(modifier)])
            #expect(server.requests().map { $0.header("Authorization") } == ["Bearer a", "Bearer a"])
        }

        @Test func `a remote video has no frame after its end`() async throws {
            serve(try Fixture.videoWithLateIndex())
            await #expect(throws: CodecError.noFrame(at: 9, duration: 2)) { try await provider(9).data() }
        }
    }
#endif
