import AlcedoCodecs
import AlcedoLocks
import AlcedoRaster
public import Foundation

/// Decodes parts of a picture that is too large to be decoded whole, such as what a viewer shows of it.
///
/// ```swift
/// let reader = try ImageRegionReader(data)
/// let part = try await reader.decode(CGRect(x: 9000, y: 6000, width: 1920, height: 1080))
/// let overview = try await reader.decode(reader.bounds, reduction: 8)
/// ```
///
/// Of a JPEG, a PNG or a GIF with one frame, only the part is kept in memory, but what is stored above it has to be read. A JPEG
/// with several scans, and an interlaced PNG, need memory for the whole picture during that. Pictures in other formats are decoded
/// whole, within the limits, and the reader keeps one such bitmap. Of an animation there is the first frame.
///
/// Thread-safe. Pixels are 8 bits of sRGB, upright.
public final class ImageRegionReader: Sendable {
    /// A decoded part.
    public struct Region: Sendable {
        public let bitmap: Bitmap

        /// What the bitmap shows, in pixels of the whole picture; at a reduction it may exceed the picture by less than a pixel of the
        /// bitmap.
        public let frame: CGRect
    }

    private struct Whole {
        let reduction: Int
        let bitmap: Bitmap
    }

    /// How many pixels of a side may become one: 1, 2, 4 and 8.
    public static var reductions: [Int] { DecodeRegion.reductions }

    private let encoded: EncodedImage
    private let whole = Lock<Whole?>(nil)

    /// Reads the headers of `data`.
    ///
    /// - Parameters:
    ///   - data: the complete encoded picture.
    ///   - limits: ``DecodeLimits/storedPixelsPerFrame`` limits the picture, ``DecodeLimits/pixelsPerFrame`` each part.
    /// - Throws: ``CodecError`` if the data is no image, is truncated or exceeds a limit.
    public convenience init(_ data: Data, limits: DecodeLimits = DecodeLimits()) throws(CodecError) {
        self.init(try EncodedImage(data, limits: limits, onlyFirstFrame: true, mayBeReduced: true))
    }

    /// A reader of the file of an image; nil if the image has been processed.
    public convenience init?(_ image: Image) {
        guard let encoded = image.encoded else { return nil }
        self.init(encoded)
    }

    init(_ encoded: EncodedImage) { self.encoded = encoded.retaining(.standard) }

    /// The size of the picture, upright.
    public var size: PixelSize { encoded.info.uprightSize }

    /// The whole picture.
    public var bounds: CGRect { CGRect(x: 0, y: 0, width: size.width, height: size.height) }

    /// The headers of the picture.
    public var info: ImageInfo { encoded.info }

    /// Decodes a part on a worker thread.
    ///
    /// After the task's cancellation it throws `CancellationError` at once. Decoding that has started ends soon after for a JPEG, a
    /// GIF, and a PNG that is not interlaced; for others, and in a worker process, it runs to its end.
    ///
    /// - Parameters:
    ///   - region: the part, in pixels of the upright picture; it grows to whole pixels of the bitmap.
    ///   - reduction: one of ``reductions``; 1, the default, for all pixels, which are those of the whole picture's bitmap.
    /// - Returns: the pixels, and which part they are.
    /// - Throws: ``CodecError`` if the picture is damaged, a limit is exceeded, or the region is empty or not within the picture.
    public func decode(_ region: CGRect, reduction: Int = 1) async throws -> Region {
        try await fromWorker { [self] stop in try decode(region, reduction: reduction, stop: stop) }
    }

    /// Decodes a part to be drawn with so many pixels, at most 1, for each of the picture's; as ``decode(_:reduction:)``.
    ///
    /// A part of which more pixels would be decoded than the limit has fewer than are drawn.
    package func decode(_ region: CGRect, drawnAt pixels: Double) async throws -> Region {
        try await fromWorker { [self] stop in
            let best = Self.reduction(drawnAt: pixels)
            let reduction = Self.reductions.first {
                $0 >= best && Self.area(of: region, reducedBy: $0) <= mostPixels
            }
            let part = try decode(region, reduction: reduction ?? best, stop: stop)
            guard let reduction, Double(reduction) * pixels < 0.99 else { return part }
            let size = PixelSize(
                width: max(1, Int((part.frame.width * pixels).rounded())),
                height: max(1, Int((part.frame.height * pixels).rounded())))
            return Region(bitmap: try part.bitmap.resized(to: size), frame: part.frame)
        }
    }

    /// The largest reduction with enough pixels for that.
    private static func reduction(drawnAt pixels: Double) -> Int {
        reductions.last { Double($0) * pixels <= 1 } ?? 1
    }

    /// Whether a part is drawn from at most 16 million pixels, within the limit.
    package func hasFewPixels(_ region: CGRect, drawnAt pixels: Double) -> Bool {
        Self.area(of: region, reducedBy: Self.reduction(drawnAt: pixels)) <= min(16e6, mostPixels)
    }

    /// Whether the decoding of a part ends soon after its cancellation, rather than when it is done.
    package var endsWhenCancelled: Bool { encoded.decodesParts }

    private var mostPixels: Double { Double(encoded.limits.pixelsPerFrame) }

    /// The pixels to decode; a mirrored part may start at another pixel of a reduced picture.
    private static func area(of region: CGRect, reducedBy reduction: Int) -> Double {
        let (unit, more) = (Double(reduction), reduction > 1 ? 1.0 : 0)
        let width = (region.maxX / unit).rounded(.up) - (region.minX / unit).rounded(.down) + more
        let height = (region.maxY / unit).rounded(.up) - (region.minY / unit).rounded(.down) + more
        return width * height
    }

    private func fromWorker(
        _ body: @escaping @Sendable (DecodeStop) throws -> Region
    ) async throws -> Region {
        let result = OneShot<Region, any Error>()
        let stop = DecodeStop()
        return try await withTaskCancellationHandler {
            WorkerPool.shared.submit {
                guard !stop.isStopped else { return }
                result.finish(Result { try body(stop) })
            }
            return try await result.value()
        } onCancel: {
            stop.stop()
            result.finish(.failure(CancellationError()))
        }
    }

    /// Decodes a part on the calling thread; throws a ``CodecError``.
    package func decode(
        _ region: CGRect, reduction: Int = 1, stop: DecodeStop? = nil
    ) throws(CodecError) -> Region {
        guard Self.reductions.contains(reduction) else {
            throw .unsupported(
                info.format, reason: "a part can be reduced by 1, 2, 4 or 8, and not by \(reduction)")
        }
        let part = try pixels(of: region)
        let stored = info.orientation.stored(part, in: info.size).reduced(by: reduction)
        let bitmap = try bitmap(of: DecodeRegion(stored, reduction: reduction), stop)
            .oriented(info.orientation)
        let frame = info.orientation.upright(stored.enlarged(by: reduction), in: info.size)
        return Region(
            bitmap: bitmap, frame: CGRect(x: frame.x, y: frame.y, width: frame.width, height: frame.height))
    }

    /// Whole pixels that cover a region.
    private func pixels(of region: CGRect) throws(CodecError) -> PixelFrame {
        let (left, right) = (region.minX.rounded(.down), region.maxX.rounded(.up))
        let (top, bottom) = (region.minY.rounded(.down), region.maxY.rounded(.up))
        guard left >= 0, top >= 0, right <= CGFloat(size.width), bottom <= CGFloat(size.height), left < right,
            top < bottom
        else {
            let part = "\(region.width)×\(region.height) pixels at (\(region.minX), \(region.minY))"
            throw .unsupported(
                info.format, reason: "the part of \(part) is empty or not within the \(size) pixels")
        }
        return PixelFrame(x: Int(left), y: Int(top), width: Int(right - left), height: Int(bottom - top))
    }

    /// The pixels of a part, as stored.
    private func bitmap(of region: DecodeRegion, _ stop: DecodeStop?) throws(CodecError) -> Bitmap {
        if encoded.decodesParts { return try encoded.decode(region, stop: stop) }
        let reduction = region.reduction
        if let whole = whole.withLock({ $0 }), whole.reduction == reduction {
            return try whole.bitmap.cropped(to: region.frame)
        }
        let bitmap = try encoded.decode(reducedBy: reduction)
        let old = whole.withLock { exchange(&$0, with: Whole(reduction: reduction, bitmap: bitmap)) }
        withExtendedLifetime(old) {}
        return try bitmap.cropped(to: region.frame)
    }
}

extension ImageOrientation {
    /// The place in a stored picture of a frame of the upright one.
    fileprivate func stored(_ frame: PixelFrame, in picture: PixelSize) -> PixelFrame {
        axes.swaps ? mirrored(frame.transposed, in: picture) : mirrored(frame, in: picture)
    }

    /// The place in the upright picture of a frame of the stored one.
    fileprivate func upright(_ frame: PixelFrame, in picture: PixelSize) -> PixelFrame {
        let mirrored = mirrored(frame, in: picture)
        return axes.swaps ? mirrored.transposed : mirrored
    }

    private func mirrored(_ frame: PixelFrame, in picture: PixelSize) -> PixelFrame {
        var result = frame
        if axes.flipsX { result.x = picture.width - frame.x - frame.width }
        if axes.flipsY { result.y = picture.height - frame.y - frame.height }
        return result
    }
}

extension PixelFrame {
    fileprivate var transposed: PixelFrame { PixelFrame(x: y, y: x, width: height, height: width) }

    /// The pixels of a reduced picture that show it.
    fileprivate func reduced(by reduction: Int) -> PixelFrame {
        let (left, top) = (x / reduction, y / reduction)
        return PixelFrame(
            x: left, y: top, width: (x + width + reduction - 1) / reduction - left,
            height: (y + height + reduction - 1) / reduction - top)
    }

    fileprivate func enlarged(by reduction: Int) -> PixelFrame {
        PixelFrame(x: x * reduction, y: y * reduction, width: width * reduction, height: height * reduction)
    }
}
