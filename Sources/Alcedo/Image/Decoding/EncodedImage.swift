import AlcedoCodecs
import AlcedoRaster
import Foundation

/// An image's bytes together with what their headers say.
struct EncodedImage: Sendable {
    let data: Data
    let info: ImageInfo
    let limits: DecodeLimits

    /// Reads headers; throws unless `data` is a whole image within `limits`.
    ///
    /// Frames count against the limits only if they are all wanted, and pixels that are to be reduced only once they are
    /// made. What has no end is decoded to see whether its pixels are there.
    init(
        _ data: Data,
        limits: DecodeLimits,
        onlyFirstFrame: Bool = false,
        mayBeReduced: Bool = false
    ) throws(CodecError) {
        let info = try codecs.info(of: data.bytes, limits: limits)
        if !mayBeReduced { try limits.check(frame: info.size, of: info.format) }
        guard info.isComplete || Self.hasAllPixels(data, info, limits) else { throw .truncated(info.format) }
        if !onlyFirstFrame, info.frameCount > 1 {
            try limits.check(frames: info.frameCount, of: info.size)
        }
        self.data = data
        self.info = info
        self.limits = limits
    }

    /// Decodes the first frame and stands it upright.
    ///
    /// `size` is the smallest upright size that is still useful, nil for full size; straight alpha leaves colours as
    /// the file has them, for writing them again.
    func decode(atLeast size: PixelSize? = nil, keepsStraightAlpha: Bool = false) throws(CodecError) -> Bitmap
    {
        let options = DecodeOptions {
            $0.atLeast = size.map(info.orientation.upright)
            $0.keepsStraightAlpha = keepsStraightAlpha
            $0.limits = limits
        }
        return try DecodeBudget.shared.spending(cost(options)) { () throws(CodecError) in
            let bitmap = try codecs.decode(data.bytes, options: options)
            // A worker process may say one thing now and another later.
            guard size != nil || bitmap.size == info.size else {
                throw .corrupt(info.format, reason: "it is \(bitmap.size), its headers said \(info.size)")
            }
            return try bitmap.oriented(info.orientation)
        }
    }

    /// What decoding counts for in the budget: the codec's memory, or the pixels twice where they are turned or resized
    /// after that, to `size`.
    func cost(_ options: DecodeOptions, resizedTo size: PixelSize? = nil) -> Int {
        let memory = codecs.memory(of: data.bytes, info: info, options: options)
        let turned = size.map { $0.area * 4 } ?? (info.orientation == .up ? 0 : memory.result)
        return max(memory.result + memory.beside, memory.result + turned)
    }

    private static func hasAllPixels(_ data: Data, _ info: ImageInfo, _ limits: DecodeLimits) -> Bool {
        let memory = codecs.memory(of: data.bytes, info: info, options: DecodeOptions())
        return DecodeBudget.shared.spending(memory.result + memory.beside) {
            codecs.hasAllPixels(data.bytes, limits: limits)
        }
    }

    /// Decodes the first frame, upright, in `size` pixels.
    ///
    /// A codec is asked for twice the size, and gives that or more: one that decodes to a smaller size
    /// averages coarsely, and the filter that follows needs something to work on. A vector picture is drawn at the size
    /// itself, and so is a photograph of which twice the size would be too much.
    func decode(resizedTo size: PixelSize) throws(CodecError) -> Bitmap {
        do throws(CodecError) {
            return try decode(resizedTo: size, from: info.isScalable ? 1 : 2)
        } catch .limitExceeded(.pixels, _, _) where !info.isScalable {
            return try decode(resizedTo: size, from: 1)
        }
    }

    private func decode(resizedTo size: PixelSize, from factor: Int) throws(CodecError) -> Bitmap {
        let enough = PixelSize(width: size.width * factor, height: size.height * factor)
        let options = DecodeOptions {
            $0.atLeast = info.orientation.upright(enough)
            $0.limits = limits
        }
        let cost = cost(options, resizedTo: size)
        return try DecodeBudget.shared.spending(cost) { () throws(CodecError) in
            let bitmap = try codecs.decode(data.bytes, options: options)
            return try bitmap.resized(to: info.orientation.upright(size), from: extent(in: bitmap.size))
                .oriented(info.orientation)
        }
    }

    /// How far the picture reaches into pixels that it was decoded to.
    ///
    /// A JPEG is reduced by eighths, and rounded up: what the last column and row hold is only partly the picture, which
    /// would be off by up to half a pixel if they counted as whole.
    private func extent(in size: PixelSize) -> (width: Double, height: Double) {
        func length(_ full: Int, _ eighths: Int) -> Int { (full * eighths + 7) / 8 }
        let eighths = JPEGCodec.eighths.first {
            length(info.size.width, $0) == size.width && length(info.size.height, $0) == size.height
        }
        guard info.format == .jpeg, size != info.size, let eighths else {
            return (Double(size.width), Double(size.height))
        }
        return (Double(info.size.width * eighths) / 8, Double(info.size.height * eighths) / 8)
    }

    /// Starts to decode all frames, as they are stored.
    func frames(keepsStraightAlpha: Bool = false) throws(CodecError) -> any FrameDecoder {
        let options = DecodeOptions {
            $0.keepsStraightAlpha = keepsStraightAlpha
            $0.limits = limits
        }
        // Safe to share: beyond a few bytes a Data keeps them in an object, which stays as it is while another Data has it.
        let frames: any FrameDecoder
        if data.count > 64 {
            let owner = Owner(data)
            let buffer = owner.data.withUnsafeBytes { $0 }
            frames = try codecs.frames(of: EncodedBytes(sharing: buffer, of: owner), options: options)
        } else {
            frames = try codecs.frames(of: data.bytes, options: options)
        }
        // A worker process may say one thing now and another later.
        let size = frames.info.size
        guard size == info.size else {
            throw .corrupt(info.format, reason: "its frames are \(size), its headers said \(info.size)")
        }
        return frames
    }

    /// Keeps a Data's bytes where they are.
    private final class Owner {
        let data: Data

        init(_ data: Data) { self.data = data }
    }
}
