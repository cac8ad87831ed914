import AlcedoIsolation
import AlcedoPixels
import Glibc
import Synchronization

/// Reads `hostile <deed>` and anything after a line break; does the deed when it is to decode.
struct HostileCodec: ImageCodec {
    static let size = PixelSize(width: 512, height: 512)

    /// Requests since the start, from which the number of the present one follows.
    private static let requests = Atomic<UInt32>(0)

    private static let format = EncodedFormat(rawValue: "hostile")

    func format(of bytes: RawSpan) -> EncodedFormat? {
        deed(in: bytes).isEmpty ? nil : Self.format
    }

    func info(of bytes: RawSpan, limits: DecodeLimits) throws(CodecError) -> ImageInfo {
        Self.requests.add(1, ordering: .relaxed)
        let deed = deed(in: bytes)
        let frameCount = deed.hasPrefix("animate") ? 3 : 1
        return ImageInfo(format: Self.format, size: Self.size(after: deed), frameCount: frameCount)
    }

    func decode(_ bytes: RawSpan, options: DecodeOptions) throws(CodecError) -> Bitmap {
        let id = Self.requests.add(1, ordering: .relaxed).newValue
        let deed = deed(in: bytes)
        if try Crime.commit(deed) || Lie(id: id).tell(deed) { _exit(99) }
        return try Self.picture()
    }

    func frames(of bytes: EncodedBytes, options: DecodeOptions) throws(CodecError) -> any FrameDecoder {
        Self.requests.add(1, ordering: .relaxed)
        let deed = deed(in: bytes.buffer.bytes)
        let info = ImageInfo(format: Self.format, size: Self.size(after: deed), frameCount: 3)
        return HostileFrames(info: info, deed: deed)
    }

    /// What the headers say.
    private static func size(after deed: String) -> PixelSize {
        let longest = Int(Int32.max)
        return deed == "claim too much" ? PixelSize(width: longest, height: longest) : size
    }

    static func picture(_ size: PixelSize = size) throws(CodecError) -> Bitmap {
        var pixels = try PixelBuilder(size: size, alpha: .opaque)
        pixels.withUnsafeMutableBytes { bytes in
            // Copied in pieces, as a debug build takes tens of milliseconds to write it byte by byte.
            let pattern = (0..<256).map { UInt8($0) | 0x80 }
            for start in stride(from: 0, to: bytes.count, by: pattern.count) {
                let piece = UnsafeMutableRawBufferPointer(rebasing: bytes[start...])
                piece.copyBytes(from: pattern.prefix(piece.count))
            }
        }
        return pixels.freeze()
    }

    private func deed(in bytes: RawSpan) -> String {
        let text = bytes.withUnsafeBytes { String(decoding: $0.prefix(100), as: UTF8.self) }
        let line = text.prefix { $0 != "\n" }
        return line.hasPrefix("hostile ") ? String(line.dropFirst(8)) : ""
    }
}

/// Three frames, of which the second one may be another.
private final class HostileFrames: FrameDecoder {
    let info: ImageInfo
    private let deed: String
    private var position = 0

    init(info: ImageInfo, deed: String) {
        self.info = info
        self.deed = deed
    }

    func next() throws(CodecError) -> AnimationFrame? {
        defer { position += 1 }
        guard position < 3 else { return nil }
        if position == 1, deed == "animate and die" { abort() }
        let isOther = position == 1 && deed == "animate another size"
        let size = isOther ? PixelSize(width: 600, height: 600) : info.size
        let duration = position == 1 && deed == "animate for ever" ? Double.infinity : 0.1
        return AnimationFrame(bitmap: try HostileCodec.picture(size), duration: duration)
    }

    func rewind() { position = 0 }
}
