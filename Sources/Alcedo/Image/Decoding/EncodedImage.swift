import AlcedoCodecs
package import AlcedoPixels
import AlcedoRaster
package import Foundation

/// An image's encoded bytes and parsed headers.
package struct EncodedImage: Sendable {
    package let data: Data
    package let info: ImageInfo
    package private(set) var limits: DecodeLimits
    let resources: DecodeResources

    /// Whether what is missing at the end is shown as transparent, by codecs that can.
    private let allowsTruncation: Bool

    /// Sent by the first decoding that finds damage.
    let damage = DamageReport()

    /// Reads headers; throws unless `data` is a complete image within `limits`.
    ///
    /// With `onlyFirstFrame`, the frame count is not checked; with `mayBeReduced`, the pixel limit is checked when
    /// the image is decoded. Data without an end marker is decoded to check that all pixels are present.
    package init(
        _ data: Data,
        limits: DecodeLimits,
        onlyFirstFrame: Bool = false,
        mayBeReduced: Bool = false,
        allowsTruncation: Bool = false,
        resources: DecodeResources = DecodeResources()
    ) throws(CodecError) {
        let info = try resources.codecs.info(of: data.bytes, limits: limits)
        if !mayBeReduced { try limits.check(frame: info.size, of: info.format) }
        self.allowsTruncation = allowsTruncation && !info.isComplete
        guard info.isComplete || allowsTruncation || resources.hasAllPixels(data, info, limits) else {
            throw .truncated(info.format)
        }
        if !onlyFirstFrame, info.frameCount > 1 {
            try limits.check(frames: info.frameCount, of: info.size)
        }
        self.data = data
        self.info = info
        self.limits = limits
        self.resources = resources
    }

    /// Bits of a channel as its headers say; nil if they don't.
    package var storedBits: Int? {
        resources.codecs.colors(of: data.bytes, info: info, limits: limits)?.bits
    }

    /// The same image, decoded with other colours.
    package func retaining(_ retention: ColorRetention) -> EncodedImage {
        var image = self
        image.limits.colorRetention = retention
        return image
    }

    /// Decodes the first frame, upright.
    ///
    /// `size` is the minimum upright size, nil for full size; `keepsStraightAlpha` keeps the file's unpremultiplied
    /// colours, for encoding.
    func decode(atLeast size: PixelSize? = nil, keepsStraightAlpha: Bool = false) throws(CodecError) -> Bitmap
    {
        let options = DecodeOptions {
            $0.atLeast = size.map(info.orientation.upright)
            $0.keepsStraightAlpha = keepsStraightAlpha
            $0.limits = limits
        }
        return try reportingDamage { () throws(CodecError) in
            try resources.budget.withReservation(of: cost(options)) { () throws(CodecError) in
                let bitmap = try resources.codecs.decode(data.bytes, options: options)
                if size == nil {
                    try info.check(bitmap)
                    // Of a smaller size not all of the bytes may have been read.
                    damage.settle()
                }
                return try bitmap.oriented(info.orientation)
            }
        }
    }

    /// Reports an error that damaged bytes are to blame for.
    private func reportingDamage<Result>(
        _ decode: () throws(CodecError) -> Result
    ) throws(CodecError) -> Result {
        do throws(CodecError) { return try decode() } catch {
            if error.isCorruption { damage.send() }
            throw error
        }
    }

    /// The memory to reserve in the budget: the codec's peak memory, or the bitmap plus its rotated or resized copy
    /// if that is more.
    func cost(_ options: DecodeOptions, resizedTo size: PixelSize? = nil) -> Int {
        let memory = resources.codecs.memory(of: data.bytes, info: info, options: options)
        let copy =
            size.map { $0.area * limits.colorRetention.bytesPerPixel }
            ?? (info.orientation == .up ? 0 : memory.result)
        return max(memory.result + memory.beside, memory.result + copy)
    }

    /// Decodes the first frame, upright, and resizes it to `size` pixels.
    ///
    /// The codec decodes at twice the size or more, because reduced decoding averages coarsely and the resampling
    /// filter needs enough input. A vector image is rendered at `size` itself; so is an image that exceeds the
    /// pixel limit at twice the size. A still image that the codec cannot decode within the limit is decoded in bands.
    func decode(resizedTo size: PixelSize) throws(CodecError) -> Bitmap {
        try reportingDamage { () throws(CodecError) in try decodeWithinLimits(resizedTo: size) }
    }

    private func decodeWithinLimits(resizedTo size: PixelSize) throws(CodecError) -> Bitmap {
        do throws(CodecError) {
            return try decode(resizedTo: size, from: info.isScalable ? 1 : 2)
        } catch .limitExceeded(.pixels, _, _) where !info.isScalable {
            do throws(CodecError) {
                return try decode(resizedTo: size, from: 1)
            } catch .limitExceeded(.pixels, _, _) where info.frameCount == 1 {
                return try decodeInBands(resizedTo: size)
            }
        }
    }

    /// Resizes the rows as they are decoded, so that the whole image is never in memory; in 8 bits of sRGB.
    private func decodeInBands(resizedTo size: PixelSize) throws(CodecError) -> Bitmap {
        try limits.check(frame: size, of: info.format)
        let options = DecodeOptions {
            $0.inBands = true
            $0.limits = limits
        }.inStandardColor
        let memory = resources.codecs.memory(of: data.bytes, info: info, options: options)
        // Four bytes a pixel, and as many for the copy that is turned upright.
        let result = size.area * (info.orientation == .up ? 4 : 8)
        return try resources.budget.withReservation(of: memory.result + memory.beside + result) {
            () throws(CodecError) in
            let deadline = Deadline(limits)
            let bands = try frames(options)
            let target = info.orientation.upright(size)
            return try Bitmap.reduced(from: info.size, to: target, of: info.format) {
                () throws(CodecError) in
                try deadline.check()
                return try bands.next()?.bitmap
            }.oriented(info.orientation)
        }
    }

    private func decode(resizedTo size: PixelSize, from factor: Int) throws(CodecError) -> Bitmap {
        // Before it waits for memory that it won't use, and the others behind it.
        if info.isScalable { try limits.check(frame: size, of: info.format) }
        let minimum = PixelSize(width: size.width * factor, height: size.height * factor)
        let options = DecodeOptions {
            $0.atLeast = info.orientation.upright(minimum)
            $0.limits = limits
        }
        let cost = cost(options, resizedTo: size)
        return try resources.budget.withReservation(of: cost) { () throws(CodecError) in
            let bitmap = try resources.codecs.decode(data.bytes, options: options)
            return try bitmap.resized(to: info.orientation.upright(size), from: extent(in: bitmap.size))
                .oriented(info.orientation)
        }
    }

    /// The fractional width and height of the image inside a bitmap of `size`.
    ///
    /// A JPEG is reduced by eighths, and the size is rounded up: the image covers the last column and row only
    /// partly. To count them as whole would shift the image by up to half a pixel.
    func extent(in size: PixelSize) -> (width: Double, height: Double) {
        func length(_ full: Int, _ eighths: Int) -> Int { (full * eighths + 7) / 8 }
        let eighths = JPEGCodec.eighths.first {
            length(info.size.width, $0) == size.width && length(info.size.height, $0) == size.height
        }
        guard info.format == .jpeg, size != info.size, let eighths else {
            return (Double(size.width), Double(size.height))
        }
        return (Double(info.size.width * eighths) / 8, Double(info.size.height * eighths) / 8)
    }

    /// A decoder for all frames, without the orientation applied; in 8 bits of sRGB.
    package func frames(keepsStraightAlpha: Bool = false) throws(CodecError) -> any FrameDecoder {
        try frames(
            DecodeOptions {
                $0.keepsStraightAlpha = keepsStraightAlpha
                $0.limits = limits
            }.inStandardColor)
    }

    private func frames(_ options: DecodeOptions) throws(CodecError) -> any FrameDecoder {
        // Safe because a Data of more than a few bytes stores them in a heap buffer, which `owner` keeps alive and
        // unchanged.
        let frames: any FrameDecoder
        if data.count > 64 {
            let owner = Owner(data)
            let buffer = owner.data.withUnsafeBytes { $0 }
            let bytes = EncodedBytes(sharing: buffer, of: owner)
            frames = try resources.codecs.frames(of: bytes, options: options)
        } else {
            frames = try resources.codecs.frames(of: data.bytes, options: options)
        }
        // A compromised worker process may return a size that differs from its headers.
        let size = frames.info.size
        guard size == info.size else {
            throw .corrupt(info.format, reason: "its frames are \(size), but its headers state \(info.size)")
        }
        return frames
    }

    /// Keeps the buffer of a Data alive.
    private final class Owner {
        let data: Data

        init(_ data: Data) { self.data = data }
    }
}

extension ImageInfo {
    /// Throws unless the bitmap has the size of the headers: a compromised worker process may return another one.
    func check(_ bitmap: Bitmap) throws(CodecError) {
        guard bitmap.size == size else {
            throw .corrupt(format, reason: "its bitmap is \(bitmap.size), but its headers state \(size)")
        }
    }
}

extension DecodeResources {
    fileprivate func hasAllPixels(_ data: Data, _ info: ImageInfo, _ limits: DecodeLimits) -> Bool {
        let memory = codecs.memory(of: data.bytes, info: info, options: DecodeOptions())
        return budget.withReservation(of: memory.result + memory.beside) {
            codecs.hasAllPixels(data.bytes, limits: limits)
        }
    }
}

extension EncodedImage {
    /// Decodes the first frame as it is stored, for a caller that cuts, resizes and turns it itself.
    ///
    /// `size` is the smallest useful one, in stored pixels; nil for full size. `body` gets the pixels, and the width and height of
    /// the image in them, which for a reduced JPEG end within the last column and row. It needs `extra` bytes beside the pixels.
    package func withStoredPixels<Result>(
        atLeast size: PixelSize?, reserving extra: Int,
        _ body: (Bitmap, (width: Double, height: Double)) throws(CodecError) -> Result
    ) throws(CodecError) -> Result {
        let options = DecodeOptions {
            $0.atLeast = size
            $0.limits = limits
            $0.allowsTruncation = allowsTruncation
        }
        let memory = resources.codecs.memory(of: data.bytes, info: info, options: options)
        let cost = memory.result + max(memory.beside, extra)
        return try resources.budget.withReservation(of: cost) { () throws(CodecError) in
            let bitmap = try resources.codecs.decode(data.bytes, options: options)
            if size == nil { try info.check(bitmap) }
            return try body(bitmap, extent(in: bitmap.size))
        }
    }
}

// MARK: - Parts

extension EncodedImage {
    /// Whether a part is decoded without keeping the rest of the picture.
    var decodesParts: Bool { info.format == .jpeg || comesInBands }

    private var comesInBands: Bool { [.png, .gif].contains(info.format) && info.frameCount == 1 }

    /// Decodes a part of the first frame as it is stored; only if ``decodesParts``.
    func decode(_ region: DecodeRegion, stop: DecodeStop?) throws(CodecError) -> Bitmap {
        try reportingDamage { () throws(CodecError) in
            guard !comesInBands else { return try decodeInBands(region, stop) }
            let options = DecodeOptions {
                $0.region = region
                $0.stop = stop
                $0.limits = limits
            }
            return try resources.budget.withReservation(of: cost(options)) { () throws(CodecError) in
                let bitmap = try resources.codecs.decode(data.bytes, options: options)
                if bitmap.size == region.frame.size { return bitmap }
                // A codec of the program's need not know of regions.
                guard bitmap.size == info.size, region.reduction == 1 else {
                    throw .corrupt(
                        info.format, reason: "its part has another size")
                }
                return try bitmap.cropped(to: region.frame)
            }
        }
    }

    /// Averages the rows of a part as they are decoded, so that the whole image is never in memory.
    private func decodeInBands(_ region: DecodeRegion, _ stop: DecodeStop?) throws(CodecError) -> Bitmap {
        try limits.check(frame: region.frame.size, of: info.format)
        let options = DecodeOptions {
            $0.inBands = true
            $0.limits = limits
        }
        let part = region.stored(in: info.size)
        let memory = resources.codecs.memory(of: data.bytes, info: info, options: options)
        let cost = memory.result * 2 + memory.beside + region.frame.size.area * 8
        return try resources.budget.withReservation(of: cost) { () throws(CodecError) in
            let deadline = Deadline(limits, stop: stop)
            let bands = try frames(options)
            var row = 0
            return try Bitmap.averaged(by: region.reduction, from: part.size, of: info.format) {
                () throws(CodecError) in
                while row < part.y + part.height {
                    try deadline.check()
                    guard let band = try bands.next()?.bitmap else { return nil }
                    guard band.width == info.size.width, band.alpha != .straight else {
                        throw .corrupt(info.format, reason: "its rows do not have the size in its headers")
                    }
                    let start = max(row, part.y) - row
                    let end = min(row + band.height, part.y + part.height) - row
                    row += band.height
                    if start < end {
                        return try band.cropped(x: part.x, y: start, width: part.width, height: end - start)
                    }
                }
                return nil
            }
        }
    }

    /// Decodes the whole first frame as it is stored, at exactly the size that a reduction gives.
    func decode(reducedBy reduction: Int) throws(CodecError) -> Bitmap {
        let target = DecodeRegion.size(of: info.size, reducedBy: reduction)
        let minimum = reduction == 1 ? nil : target
        return try reportingDamage { () throws(CodecError) in
            try withStoredPixels(atLeast: minimum, reserving: target.area * 4) {
                (bitmap, extent) throws(CodecError) in
                let width = extent.width * Double(target.width * reduction) / Double(info.size.width)
                let height = extent.height * Double(target.height * reduction) / Double(info.size.height)
                return try bitmap.resized(
                    to: target, showing: PixelRect(x: 0, y: 0, width: width, height: height))
            }
        }
    }
}

extension DecodeRegion {
    /// The pixels of the stored picture that it shows.
    fileprivate func stored(in size: PixelSize) -> PixelFrame {
        let (x, y) = (frame.x * reduction, frame.y * reduction)
        return PixelFrame(
            x: x, y: y, width: min(frame.width * reduction, size.width - x),
            height: min(frame.height * reduction, size.height - y))
    }
}
