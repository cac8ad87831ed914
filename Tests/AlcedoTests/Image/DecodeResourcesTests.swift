import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import EngineFixtures

@Suite struct `The codecs and the budget of a load` {
    /// Recognises PNG only by another name, so that it is clear which registry decoded.
    private struct Recorded: ImageCodec {
        let calls: Recorder<String>
        let codec = PNGCodec()

        func format(of bytes: RawSpan) -> EncodedFormat? { codec.format(of: bytes) }

        func info(of bytes: RawSpan, limits: DecodeLimits) throws(CodecError) -> ImageInfo {
            calls.append("info")
            return try codec.info(of: bytes, limits: limits)
        }

        func decode(_ bytes: RawSpan, options: DecodeOptions) throws(CodecError) -> Bitmap {
            calls.append("decode")
            return try codec.decode(bytes, options: options)
        }
    }

    @Test func `a load may have codecs of its own`() throws {
        let (calls, registry) = (Recorder<String>(), CodecRegistry())
        registry.register(Recorded(calls: calls))
        let options = KingfisherParsedOptionsInfo([
            .codecs(registry), .decodeBudget(DecodeBudget(bytes: 1 << 20)),
        ])
        let data = Data(try Sample.png(2, 2))
        let image = try #require(DefaultImageProcessor.default.process(item: .data(data), options: options))
        #expect(try image.bitmap().size == PixelSize(width: 2, height: 2))
        #expect(calls.values == ["info", "decode"])
        #expect(DefaultImageProcessor.default.process(item: .data(data), options: .init(nil)) != nil)
        #expect(calls.values == ["info", "decode"])
    }

    @Test func `a load's codecs decode nothing in this process if isolation is required`() throws {
        let (calls, registry) = (Recorder<String>(), CodecRegistry())
        registry.register(Recorded(calls: calls))
        let options = KingfisherParsedOptionsInfo([.codecs(registry), .decodeSandbox(.required)])
        let bytes = try Sample.png(2, 2)
        let processors: [any ImageProcessor] = [
            DefaultImageProcessor.default, DownsamplingImageProcessor(size: CGSize(width: 1, height: 1)),
        ]
        for processor in processors {
            #expect(processor.process(item: .data(Data(bytes)), options: options) == nil)
        }
        let preview = PreviewSchedule.Preview(length: bytes.count)
        let isRejected = { (error: any Error) in
            guard case CodecError.sandboxFailed(.png, .unavailable) = error else { return false }
            return true
        }
        #expect {
            try preview.decode([bytes], limits: options.decodeLimits, with: options.decodeResources)
        } throws: {
            isRejected($0)
        }
        for onlyFirstFrame in [false, true] {
            #expect {
                try EncodedImage(
                    Data(bytes), limits: options.decodeLimits, onlyFirstFrame: onlyFirstFrame,
                    mayBeReduced: true,
                    resources: options.decodeResources)
            } throws: {
                isRejected($0)
            }
        }
        #expect(calls.values.isEmpty)
    }

    @Test func `a decode does not wait for another budget`() throws {
        let own = DecodeBudget(bytes: 1)
        let image = try own.withReservation(of: 1) {
            // The shared budget is free, whatever is reserved in this one.
            try Image(decoding: Data(try Sample.png(2, 2))).bitmap()
        }
        #expect(image.width == 2)
    }

    @Test func `options have memberwise initialisers that agree with the closures`() {
        #expect(DecodeLimits(frames: 3, seconds: 1) == DecodeLimits { ($0.frames, $0.seconds) = (3, 1) })
        #expect(DecodeLimits() == DecodeLimits { _ in })
        #expect(EncodeOptions(quality: 0.5) == EncodeOptions { $0.quality = 0.5 })
        #expect(EncodeOptions() == EncodeOptions { _ in })
        #expect(DecodeOptions(keepsStraightAlpha: true) == DecodeOptions { $0.keepsStraightAlpha = true })
        #expect(DecodeOptions() == DecodeOptions { _ in })
        #expect(TransportTimeouts(stall: .seconds(2)) == TransportTimeouts { $0.stall = .seconds(2) })
        #expect(TransportTimeouts() == TransportTimeouts { _ in })
        let shared = SharedCacheSettings(leaseTime: .seconds(3), leaseWait: .seconds(1))
        let changed = SharedCacheSettings { ($0.leaseTime, $0.leaseWait) = (.seconds(3), .seconds(1)) }
        #expect("\(shared)" == "\(changed)")
        #expect("\(SharedCacheSettings())" == "\(SharedCacheSettings { _ in })")
    }

    @Test func `decode limits take the time as a duration, and nil for no limit`() {
        #expect(DecodeLimits().time == .seconds(30))
        #expect(DecodeLimits { $0.time = .milliseconds(1_500) }.seconds == 1.5)
        #expect(DecodeLimits { $0.time = nil }.seconds == .infinity)
        #expect(DecodeLimits(seconds: .infinity).time == nil)
        #expect(DecodeLimits(seconds: -1).time == .zero)
    }
}
