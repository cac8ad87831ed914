import AlcedoIsolation
import AlcedoPixels
import AlcedoTestSupport
import Foundation
import Testing

/// How soon a worker that misbehaves is ended, and how soon the next image is decoded.
@Suite(.serialized, .timeLimit(.minutes(10))) struct `A worker that misbehaves` {
    /// What it does, and the time limit, which ends those that go on for ever.
    struct Deed: Sendable, CustomTestStringConvertible {
        let name: String
        var seconds = 60.0

        /// Whether the worker goes on until it is ended; the others end, or answer wrongly, at once.
        var goesOn = true

        var testDescription: String { name }

        static let all: [Deed] =
            ["loop", "stop", "close the channel"].map { Deed(name: $0, seconds: 0.5) }
            + [Deed(name: "allocate")]
            + [
                "segfault", "abort", "be killed", "exit", "keep a mapping", "answer another size",
                "answer no size", "answer too little", "answer another request", "answer garbage",
                "answer too much", "ask for memory again and again", "send a hundred descriptors",
            ].map { Deed(name: $0, goesOn: false) }
    }

    @Test(arguments: Deed.all)
    func `a worker that misbehaves is ended and replaced in a tenth of a second each`(_ deed: Deed) throws {
        let most = Duration.milliseconds(100)
        let limit = deed.goesOn ? Duration.seconds(deed.seconds) : .zero
        var best = (end: limit + .seconds(60), next: Duration.seconds(60))
        // The machine may be busy with something else.
        for _ in 0..<40 where max(best.end - limit, best.next) > most {
            let times = try times(of: deed)
            if max(times.end - limit, times.next) < max(best.end - limit, best.next) { best = times }
        }
        print("\(deed.name): ended after \(best.end), next image after another \(best.next)")
        #expect(best.end <= limit + most && best.next <= most)
    }

    /// How long it took until it had failed, and how long the next image took.
    private func times(of deed: Deed) throws -> (end: Duration, next: Duration) {
        let group = DecoderGroup(
            BuiltProgram.url(of: "HostileWorker").path, isIsolatedByDefault: true, workers: 1,
            memoryLimit: 256 << 20)
        defer { group.pool.end() }
        let codec = IsolatedCodec(TrialFormat(), in: group)
        try decode("nothing\nfirst", with: codec, seconds: 60)
        let start = ContinuousClock.now
        #expect(throws: CodecError.self) { try decode(deed.name, with: codec, seconds: deed.seconds) }
        let end = ContinuousClock.now
        try decode("nothing\nsecond", with: codec, seconds: 60)
        return (end - start, ContinuousClock.now - end)
    }

    private func decode(_ deed: String, with codec: IsolatedCodec, seconds: Double) throws {
        let options = DecodeOptions {
            $0.sandbox = .preferred
            $0.limits.seconds = seconds
        }
        _ = try codec.decode(Array("hostile \(deed)".utf8).span.bytes, options: options)
    }
}

/// Tells hostile images from others, and decodes none of them here.
private struct TrialFormat: ImageCodec {
    func format(of bytes: RawSpan) -> EncodedFormat? {
        let isHostile = bytes.withUnsafeBytes { $0.starts(with: Array("hostile ".utf8)) }
        return isHostile ? EncodedFormat(rawValue: "hostile") : nil
    }

    func info(of bytes: RawSpan, limits: DecodeLimits) throws(CodecError) -> ImageInfo {
        throw .unknownFormat
    }

    func decode(_ bytes: RawSpan, options: DecodeOptions) throws(CodecError) -> Bitmap {
        throw .unknownFormat
    }
}
