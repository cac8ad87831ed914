import AlcedoCodecs
import AlcedoPixels
import AlcedoTestSupport
import Testing

@testable import AlcedoIsolation

struct `A message between processes` {
    @Test func `a message to a worker carries every limit that decoders go by`() throws {
        var request = DecodeRequest(.open)
        request.session = 7
        request.inputCount = 8
        request.options.atLeast = PixelSize(width: 3, height: 4)
        request.options.keepsStraightAlpha = true
        request.options.allowsTruncation = true
        request.options.inBands = true
        request.options.time = 9.5
        request.options.region = DecodeRegion(
            PixelFrame(x: 1, y: 65_536, width: Int(Int32.max), height: 3), reduction: 8)
        request.options.partialFile = []
        request.isOfFile = true
        request.options.limits = DecodeLimits {
            $0.pixelsPerFrame = 1
            $0.pixelsPerAnimation = 2
            $0.frames = 3
            $0.encodedBytes = 4
            $0.progressiveScans = 5
            $0.metadataBytes = 6
            $0.storedPixelsPerFrame = 8
            $0.seconds = 7.5
            $0.sandbox = .off
            $0.isDithered = false
            $0.colorRetention = .full
        }
        #expect(DecodeRequest(request.message(id: 1)) == request)
        request.options.colorRetention = .hdr
        #expect(DecodeRequest(request.message(id: 1)) == request)
        request.options.sandbox = .required
        #expect(DecodeRequest(request.message(id: 1)) == request)
        request.options.region = nil
        #expect(DecodeRequest(request.message(id: 1)) == request)
        // A new limit has to be sent, too; these are the program's: preloadedBytes, isolation unless it is required, and `stop`.
        #expect(Mirror(reflecting: DecodeLimits()).children.count == 10 + 2)
        #expect(Mirror(reflecting: DecodeOptions()).children.count == 8 + 1)
    }

    @Test(arguments: [0, 1, Int(Int32.max), Int(UInt32.max), .max])
    func `a message of a worker carries any number of repetitions that can be played`(_ count: Int) throws {
        var info = ImageInfo(format: .jxl, size: PixelSize(width: 3, height: 4), frameCount: 2)
        info.loopCount = count
        let answer = try #require(Message.facts(info, id: 1).info(of: .jxl))
        #expect(answer.loopCount == min(count, Int(Int32.max)))
    }

    /// Other bytes in each run are libFuzzer's.
    @Test func `reading a message of a worker survives any bytes`() async {
        var generator = SeededGenerator(seed: 1)
        for number in 0..<4_000 {
            // Other tests have their turn.
            if number % 100 == 0 { await Task.yield() }
            let count = Int.random(in: 0...300, using: &generator)
            var bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
            if Bool.random(using: &generator), bytes.count >= Message.byteCount {
                // A sound head, so that what follows is read.
                let kind = Message.Kind.allCases.randomElement(using: &generator)?.rawValue ?? 1
                let values = [0, 1, 2, .max, UInt64(bytes[20])]
                let words = (0..<8).map { _ in values.randomElement(using: &generator) ?? 0 }
                let message = Message(Message.Kind(rawValue: kind) ?? .info, id: 1, words: words)
                let head = message.encoded(tailCount: bytes.count - Message.byteCount)
                bytes.replaceSubrange(..<Message.byteCount, with: head)
            }
            bytes.withUnsafeBytes(read)
        }
    }

    private func read(_ bytes: UnsafeRawBufferPointer) {
        guard let message = Message(bytes) else { return }
        let tail = UnsafeRawBufferPointer(rebasing: bytes[Message.byteCount...])
        let answer = Worker.Response(message: message, tail: tail, memory: nil)
        _ = DecodeRequest(message)
        _ = message.info(of: .png)
        _ = message.error(in: .png, text: tail)?.description
        _ = answer.bitmap(DeepColors.sRGB.conversion)
        _ = answer.duration
        _ = answer.bytes(atMost: 100)
    }

    @Test(arguments: [
        CodecError.unknownFormat, .truncated(.gif), .corrupt(.gif, reason: "a"),
        .unsupported(.gif, reason: "b"), .limitExceeded(.frames, value: 3, limit: 2),
        .timeLimitExceeded(seconds: 0.5), .outOfMemory(byteCount: 9),
        .noFrame(at: 3.5, duration: 2),
    ])
    func `a message of a worker carries errors`(_ error: CodecError) {
        let (message, text) = Message.failure(error, id: 1)
        #expect(Array(text.utf8).withUnsafeBytes { message.error(in: .gif, text: $0) } == error)
    }
}

struct `What is done about workers that die` {
    @Test func `workers that do not start are started again after longer and longer pauses`() {
        var delay = RestartDelay()
        let start = ContinuousClock.now
        for _ in 0..<5 { delay.recordFailure(at: start) }
        #expect(!delay.applies(at: start))
        delay.recordFailure(at: start)
        #expect(delay.applies(at: start + .milliseconds(99)))
        #expect(!delay.applies(at: start + .milliseconds(100)))
        for _ in 0..<100 { delay.recordFailure(at: start) }
        #expect(delay.applies(at: start + .milliseconds(4999)))
        #expect(!delay.applies(at: start + .milliseconds(5000)))
        #expect(!delay.applies(at: start + .seconds(11)))
    }

    @Test func `an image that ended a worker is rejected for ten minutes`() {
        let quarantine = Quarantine()
        let now = ContinuousClock.now
        func refuses(_ text: String, seconds: Double = 30, after time: Int = 0) -> Bool {
            Array(text.utf8).withUnsafeBytes {
                quarantine.rejects($0, seconds: seconds, at: now + .seconds(time))
            }
        }
        Array("bad".utf8).withUnsafeBytes { quarantine.add($0, at: now) }
        Array("slow".utf8).withUnsafeBytes { quarantine.add($0, seconds: 10, at: now) }
        #expect(refuses("bad"))
        #expect(!refuses("good"))
        #expect(!refuses("bad", after: 601))
        #expect(refuses("slow", seconds: 10))
        #expect(!refuses("slow", seconds: 11))
    }
}
