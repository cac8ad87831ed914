import AlcedoPixels
import Glibc
import Testing

@testable import AlcedoIsolation

struct `An animation in a worker` {
    private let group = DecoderGroup.hostile
    private let codec: IsolatedCodec

    init() { codec = IsolatedCodec(HostileFormat(), in: group) }

    @Test func `an animation continues in another worker when its own has ended`() throws {
        let frames = try open("animate")
        #expect(try frames.next()?.duration == 0.1)
        let worker = try #require(try group.pool.take())
        group.pool.putBack(worker)
        kill(worker.process, SIGKILL)
        #expect(worker.channel.isReadable(within: 300_000))
        #expect(try frames.next() != nil)
        #expect(try frames.next() != nil)
        #expect(try frames.next() == nil)
    }

    @Test func `an animation shares its worker with others, and can start again`() throws {
        let several = try (0..<5).map { try open("animate\n\($0)") }
        for _ in 0..<2 {
            for _ in 0..<3 { for frames in several { #expect(try frames.next() != nil) } }
            for frames in several { #expect(try frames.next() == nil) }
            for frames in several { frames.rewind() }
        }
        #expect(group.pool.workerCount == 1)
    }

    @Test(arguments: ["animate another size", "animate for ever", "animate and die"])
    func `an animation fails with its worker's mistakes`(_ deed: String) throws {
        let frames = try open(deed)
        #expect(try frames.next() != nil)
        #expect {
            _ = try frames.next()
        } throws: { error in
            if case CodecError.sandboxFailed = error { true } else { false }
        }
        #expect(try open("animate").next() != nil)
        // Its next view would end the next worker.
        #expect(throws: CodecError.sandboxFailed(EncodedFormat(rawValue: "hostile"), .quarantined)) {
            try open(deed)
        }
    }

    private func open(_ deed: String) throws -> any FrameDecoder {
        let bytes = Array("hostile \(deed)".utf8)
        let options = DecodeOptions {
            $0.sandbox = .preferred
            $0.limits.seconds = 600
        }
        return try codec.frames(of: bytes.span.bytes, options: options)
    }
}
