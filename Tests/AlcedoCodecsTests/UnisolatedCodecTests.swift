import AlcedoCodecs
import AlcedoLocks
import AlcedoPixels
import AlcedoTestSupport
import Testing

/// A codec that a program registers, which can't decode in a worker process.
struct `A codec of the program's own` {
    private let registry = CodecRegistry()
    private let codec = CountingCodec()
    private let bytes: [UInt8]

    init() throws {
        registry.register(codec)
        bytes = try Fixture.data("made/animated-over.png")
    }

    @Test func `a codec of the program's own decodes nothing if isolation is required`() throws {
        let limits = DecodeLimits(sandbox: .required)
        let options = DecodeOptions(limits: limits)
        let info = try PNGCodec().info(of: bytes.span.bytes, limits: DecodeLimits())
        let isRejected = { (error: any Error) in
            guard case CodecError.sandboxFailed(.png, .unavailable(let reason)) = error else { return false }
            return reason == "CountingCodec decodes in this process only"
        }
        #expect { try registry.info(of: bytes.span.bytes, limits: limits) } throws: { isRejected($0) }
        #expect { try registry.decode(bytes.span.bytes, options: options) } throws: { isRejected($0) }
        #expect { try registry.frames(of: bytes.span.bytes, options: options) } throws: { isRejected($0) }
        #expect {
            try registry.frames(of: EncodedBytes(copying: bytes.span.bytes), options: options)
        } throws: {
            isRejected($0)
        }
        #expect { try registry.frameDurations(of: bytes.span.bytes, limits: limits) } throws: {
            isRejected($0)
        }
        #expect { try registry.codec(for: bytes.span.bytes, within: limits) } throws: { isRejected($0) }
        let (hasPixels, profile) = (
            registry.hasAllPixels(bytes.span.bytes, limits: limits),
            registry.profile(of: bytes.span.bytes, limits: limits)
        )
        #expect(!hasPixels && profile == nil)
        let memory = registry.memory(of: bytes.span.bytes, info: info, options: options)
        #expect(memory == DecodeMemory(result: 0))
        #expect(codec.calls.withLock { $0 } == 0)
    }

    @Test(arguments: [DecodeSandbox.automatic, .off, .preferred])
    func `a codec of the program's own decodes in the process otherwise`(_ isolation: DecodeSandbox) throws {
        let options = DecodeOptions(limits: DecodeLimits(sandbox: isolation))
        _ = try registry.decode(bytes.span.bytes, options: options)
        #expect(codec.calls.withLock { $0 } == 1)
    }
}

/// PNG under another type, which counts its calls, but for those that ask for the format.
private final class CountingCodec: ImageCodec {
    let calls = Lock(0)
    private let png = PNGCodec()

    func format(of bytes: RawSpan) -> EncodedFormat? { png.format(of: bytes) }

    func info(of bytes: RawSpan, limits: DecodeLimits) throws(CodecError) -> ImageInfo {
        calls.withLock { $0 += 1 }
        return try png.info(of: bytes, limits: limits)
    }

    func decode(_ bytes: RawSpan, options: DecodeOptions) throws(CodecError) -> Bitmap {
        calls.withLock { $0 += 1 }
        return try png.decode(bytes, options: options)
    }

    func frames(of bytes: EncodedBytes, options: DecodeOptions) throws(CodecError) -> any FrameDecoder {
        calls.withLock { $0 += 1 }
        return try png.frames(of: bytes, options: options)
    }

    func frameDurations(of bytes: RawSpan, limits: DecodeLimits) throws(CodecError) -> [Double] {
        calls.withLock { $0 += 1 }
        return try png.frameDurations(of: bytes, limits: limits)
    }

    func hasAllPixels(_ bytes: RawSpan, limits: DecodeLimits) -> Bool {
        calls.withLock { $0 += 1 }
        return png.hasAllPixels(bytes, limits: limits)
    }

    func memory(of bytes: RawSpan, info: ImageInfo, options: DecodeOptions) -> DecodeMemory {
        calls.withLock { $0 += 1 }
        return png.memory(of: bytes, info: info, options: options)
    }

    func profile(of bytes: RawSpan, limits: DecodeLimits) -> [UInt8]? {
        calls.withLock { $0 += 1 }
        return png.profile(of: bytes, limits: limits)
    }
}
