#if Video
    import AlcedoPixels
    import AlcedoTestSupport
    import AlcedoVideo
    import CIsolation
    import Foundation
    import Testing

    @testable import AlcedoIsolation

    @Suite(.timeLimit(.minutes(10)))
    struct `A video in a worker` {
        private static let group = DecoderGroup.built("alcedo-decode-video")
        private let worker = IsolatedFileDecoder(of: .video, in: group)

        private func outcome(
            _ decoder: any FileDecoder, _ file: Int32, at time: Double,
            _ limits: DecodeLimits = DecodeLimits()
        ) -> Result<Bitmap, CodecError> {
            do throws(CodecError) {
                return .success(
                    try decoder.decode(
                        file,
                        options: DecodeOptions {
                            $0.time = time
                            $0.limits = limits
                        }))
            } catch { return .failure(error) }
        }

        private func withFile<Value>(of bytes: [UInt8], _ body: (Int32) throws -> Value) throws -> Value {
            let file = try #require(tmpfile())
            defer { fclose(file) }
            try #require(fwrite(bytes, 1, bytes.count, file) == bytes.count && fflush(file) == 0)
            return try body(fileno(file))
        }

        @Test func `decoding a video in a worker makes the same as decoding it in the process`() async throws
        {
            for path in Fixture.list("video") {
                // Decoding holds a thread of the pool: other tests have their turn in between.
                await Task.yield()
                try withFile(of: Fixture.data(path)) { file in
                    for (time, pixels) in [(0, 50_000_000), (0.15, 50_000_000), (9, 50_000_000), (0, 3000)] {
                        let limits = DecodeLimits(pixelsPerFrame: pixels, seconds: 600)
                        let here = outcome(VideoDecoder(), file, at: time, limits)
                        let there = outcome(worker, file, at: time, limits)
                        switch (here, there) {
                        case (.success(let here), .success(let there)):
                            #expect(here.hasSamePixels(as: there), "\(path) at \(time) s")
                        case (.failure(let here), .failure(let there)):
                            #expect("\(here)" == "\(there)", "\(path) at \(time) s")
                        default: Issue.record("\(path) at \(time) s: \(here) here, \(there) in a worker")
                        }
                    }
                }
            }
            #expect(try Self.group.pool.warmUp() >= .systemCalls || alcedo_is_sanitized() == 1)
        }

        /// Its bytes are flipped at a few hundred places that are the same in every run.
        @Test func `a damaged video in a worker is a picture or an error, and ends no worker`() async throws {
            var number: UInt64 = 1
            func next(_ bound: Int) -> Int {
                number = number &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                return Int(number >> 33) % bound
            }
            for path in Fixture.list("video") {
                let bytes = try Fixture.data(path)
                for _ in 0..<20 {
                    await Task.yield()
                    var damaged = bytes
                    for _ in 0...next(8) { damaged[next(bytes.count)] ^= UInt8(1 << next(8)) }
                    let limits = DecodeLimits(pixelsPerFrame: 1 << 20, seconds: 600)
                    let result = try withFile(of: damaged) { outcome(worker, $0, at: 0.15, limits) }
                    if case .failure(.sandboxFailed(_, let failure)) = result {
                        Issue.record("\(path): \(failure)")
                    }
                }
            }
        }

        @Test func `decoding a video says that its helper is missing`() throws {
            let group = DecoderGroup("alcedo-decode-missing", isIsolatedByDefault: true)
            try withFile(of: [1]) { file in
                let failure = outcome(IsolatedFileDecoder(of: .video, in: group), file, at: 0)
                guard case .failure(.sandboxFailed(.video, .unavailable(let reason))) = failure else {
                    Issue.record("that is \(failure)")
                    return
                }
                #expect(
                    reason.hasPrefix(
                        "its helper program alcedo-decode-missing is not installed: it is not in /"))
            }
        }
    }
#endif
