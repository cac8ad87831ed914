import AlcedoPixels

/// A mutable copy of a frame's pixels: 0xAARRGGBB, straight alpha.
final class FramePixels {
    let size: PixelSize
    let base: UnsafeMutablePointer<UInt32>

    init(clear size: PixelSize) throws(CodecError) {
        self.size = size
        base = try PixelMemory.allocate(byteCount: size.area * 4).assumingMemoryBound(to: UInt32.self)
        base.initialize(repeating: 0, count: size.area)
    }

    /// Copies `bitmap` and unpremultiplies it if necessary.
    convenience init(_ bitmap: Bitmap) throws(CodecError) {
        try self.init(clear: bitmap.size)
        let target = UnsafeMutableRawBufferPointer(start: base, count: bitmap.byteCount)
        bitmap.withUnsafeBytes { target.copyMemory(from: $0) }
        if bitmap.alpha == .premultiplied { PixelRows(target, size).unpremultiply() }
    }

    deinit { PixelMemory.free(base) }

    /// Makes each pixel opaque or 0, as GIF requires.
    func dropTranslucency() {
        for index in 0..<size.area {
            let pixel = base[index]
            base[index] = pixel >> 24 < 128 ? 0 : pixel | 0xFF00_0000
        }
    }

    /// The bounding box of the pixels that differ from `other`, which has the same size; nil if none does.
    func difference(from other: FramePixels) -> FrameRect? {
        let width = size.width
        var rect: FrameRect?
        for y in 0..<size.height {
            let mine = base + y * width
            let theirs = other.base + y * width
            var first = 0
            while first < width, mine[first] == theirs[first] { first += 1 }
            guard first < width else { continue }
            var last = width - 1
            while mine[last] == theirs[last] { last -= 1 }
            rect =
                rect.map { $0.union(first, last, y) }
                ?? FrameRect(left: first, top: y, width: last - first + 1, height: 1)
        }
        return rect
    }

    /// Whether a pixel is opaque here and clear in `next`.
    func isCleared(by next: FramePixels) -> Bool {
        for index in 0..<size.area where next.base[index] == 0 && base[index] != 0 { return true }
        return false
    }
}

/// The rectangle of a frame on its canvas.
struct FrameRect: Equatable {
    var left: Int
    var top: Int
    var width: Int
    var height: Int

    /// One pixel, for a frame without changes.
    static let pixel = FrameRect(left: 0, top: 0, width: 1, height: 1)

    var size: PixelSize { PixelSize(width: width, height: height) }

    /// The union with the pixels from `first` to `last` of row `y`, which is not above the rectangle.
    fileprivate func union(_ first: Int, _ last: Int, _ y: Int) -> FrameRect {
        let start = min(left, first)
        let end = max(left + width - 1, last)
        return FrameRect(left: start, top: top, width: end - start + 1, height: y - top + 1)
    }
}

extension FrameRect {
    /// The rectangle of a whole canvas.
    init(_ size: PixelSize) {
        self.init(left: 0, top: 0, width: size.width, height: size.height)
    }
}
