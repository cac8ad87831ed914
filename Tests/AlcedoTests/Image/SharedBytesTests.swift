import Alcedo
import AlcedoCodecs
import AlcedoTestSupport
import Foundation
import Testing

/// Notes where the bytes lie that it is to decode.
private struct Spy: ImageCodec {
    let signature: String
    let places: Recorder<UInt>
    private let size = PixelSize(width: 2, height: 2)

    func format(of bytes: RawSpan) -> EncodedFormat? {
        let isSpy = bytes.withUnsafeBytes { $0.starts(with: signature.utf8) }
        return isSpy ? EncodedFormat(rawValue: signature) : nil
    }

    func info(of bytes: RawSpan, limits: DecodeLimits) throws(CodecError) -> ImageInfo {
        ImageInfo(format: EncodedFormat(rawValue: signature), size: size, frameCount: 2, loopCount: 0)
    }

    func decode(_ bytes: RawSpan, options: DecodeOptions) throws(CodecError) -> Bitmap {
        try PixelBuilder(size: size, alpha: .opaque).freeze()
    }

    func frames(of bytes: EncodedBytes, options: DecodeOptions) throws(CodecError) -> any FrameDecoder {
        places.append(UInt(bitPattern: bytes.buffer.baseAddress))
        return try FrameList(of: bytes.buffer.bytes, with: self, options: options)
    }
}

struct `Bytes of an animation` {
    @Test(arguments: [0..<200, 10..<150])
    func `the bytes of an animation are not copied for decoding`(part: Range<Int>) throws {
        let places = Recorder<UInt>()
        // The cases share the registry, so each has a format of its own.
        let signature = "SPY\(part)"
        CodecRegistry.shared.register(Spy(signature: signature, places: places))
        var whole = Data(repeating: 7, count: 200)
        whole.replaceSubrange(part.lowerBound..<part.lowerBound + signature.utf8.count, with: signature.utf8)
        let data = whole[part]
        let image = try Image(decoding: data)
        _ = image.kf.frameSource?.frame(at: 0)
        let place = data.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
        #expect(Set(places.values) == [place])
    }

    @Test func `the bytes of an animation stay alive for as long as somebody decodes them`() throws {
        var data: Data? = Data(try Fixture.data("gif/fire.gif"))
        let source = try EncodedFrames(decoding: try #require(data))
        let first = try #require(source.frame(at: 0))
        data?[20] = 99
        data = nil
        #expect(source.frame(at: 5) != nil)
        #expect(source.frame(at: 0)?.hasSamePixels(as: first) == true)
    }
}
