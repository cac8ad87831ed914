import Glibc

/// Immutable pixels: BGRA, 8 bits a channel, top row first, rows of exactly `width * 4` bytes.
///
/// In memory each pixel is the four bytes blue, green, red, alpha, which is what cairo calls `ARGB32` and GTK
/// `B8G8R8A8_PREMULTIPLIED` on a little-endian machine. The first byte is 64-byte-aligned. Colours are sRGB.
///
/// Safe because the memory is not written after `init`, and has one owner: this object, or the builder that
/// `rewriting(alpha:_:)` passes it to if the bitmap is uniquely referenced.
public final class Bitmap: @unchecked Sendable {
    /// How the alpha byte relates to the three colour bytes.
    public enum Alpha: Sendable {
        /// Every alpha byte is 255.
        case opaque

        /// Colours are already multiplied by alpha; no colour byte exceeds its alpha byte.
        case premultiplied

        /// Colours are as the file stored them. Only encoders take such a bitmap: use it to transcode without loss.
        case straight
    }

    /// Width and height; neither is zero.
    public let size: PixelSize

    public let alpha: Alpha
    private let base: UnsafeMutableRawPointer
    private var ownsMemory = true

    /// The owner of read-only memory.
    private let owner: (any AnyObject & Sendable)?

    /// Takes ownership of `base`, which must hold `size.area * 4` bytes that ``PixelMemory`` allocated for a bitmap.
    init(size: PixelSize, alpha: Alpha, adopting base: UnsafeMutableRawPointer) {
        self.size = size
        self.alpha = alpha
        self.base = base
        owner = nil
    }

    /// Shares `size.area * 4` bytes, which `owner` keeps where they are and which never change.
    ///
    /// - Throws: ``CodecError/limitExceeded(_:value:limit:)`` for a size without pixels.
    package init(
        size: PixelSize, alpha: Alpha, sharing base: UnsafeRawPointer, of owner: any AnyObject & Sendable
    ) throws(CodecError) {
        guard !size.isEmpty else { throw .limitExceeded(.pixels, value: size.area, limit: Int.max / 4) }
        self.size = size
        self.alpha = alpha
        // Only read from, as there is an owner.
        self.base = UnsafeMutableRawPointer(mutating: base)
        self.owner = owner
        ownsMemory = false
    }

    deinit { if ownsMemory { PixelMemory.freeBitmap(base, byteCount: byteCount) } }

    public var width: Int { size.width }
    public var height: Int { size.height }

    /// Bytes from the start of a row to the start of the next: always `width * 4`.
    public var bytesPerRow: Int { size.width * 4 }

    /// Bytes of pixels: `width * height * 4`.
    public var byteCount: Int { size.area * 4 }

    /// Calls `body` with all the pixels; the buffer is valid only inside it.
    public func withUnsafeBytes<R, E: Error>(
        _ body: (UnsafeRawBufferPointer) throws(E) -> R
    ) throws(E) -> R {
        try body(UnsafeRawBufferPointer(start: base, count: byteCount))
    }

    /// Calls `body` with all the pixels; the span is valid only inside it.
    public func withBytes<R, E: Error>(_ body: (RawSpan) throws(E) -> R) throws(E) -> R {
        try withUnsafeBytes { (buffer) throws(E) in try body(buffer.bytes) }
    }

    /// Whether `other` has the same size and the same bytes.
    package func hasSamePixels(as other: Bitmap) -> Bool {
        size == other.size && alpha == other.alpha && memcmp(base, other.base, byteCount) == 0
    }

    /// The pixels' address, valid for as long as the bitmap lives; for C libraries that share the memory.
    package var unsafeBaseAddress: UnsafeRawPointer { UnsafeRawPointer(base) }

    /// A bitmap of the same size, which `body` writes to `target` from the pixels at `source`.
    ///
    /// Both are the same memory if this bitmap is uniquely referenced, so that a chain of changes needs one bitmap: `body` must
    /// read a pixel before it writes it.
    ///
    /// - Parameters:
    ///   - alpha: the kind of the result's alpha, which `body` has to ensure.
    ///   - body: writes all pixels.
    /// - Returns: the result.
    /// - Throws: the error of `body`, and ``CodecError/outOfMemory(byteCount:)``.
    package consuming func rewriting(
        alpha: Alpha,
        _ body: (
            _ source: UnsafeRawPointer, _ target: UnsafeMutableRawPointer
        ) throws(CodecError) -> Void
    ) throws(CodecError) -> Bitmap {
        var bitmap = consume self
        if bitmap.owner == nil, isKnownUniquelyReferenced(&bitmap) {
            bitmap.ownsMemory = false
            let result = Bitmap(size: bitmap.size, alpha: alpha, adopting: bitmap.base)
            try body(UnsafeRawPointer(result.base), result.base)
            return result
        }
        var result = try PixelBuilder(size: bitmap.size, alpha: alpha)
        try result.withUnsafeMutableBytes { (output) throws(CodecError) in
            guard let target = output.baseAddress else { return }
            try body(bitmap.unsafeBaseAddress, target)
        }
        return result.freeze()
    }

    /// The pixels changed in place by `body`: in this bitmap's memory if it is uniquely referenced, else in a copy.
    ///
    /// - Parameters:
    ///   - alpha: the kind of the result's alpha, which `body` has to ensure.
    ///   - body: changes pixels.
    /// - Returns: the result.
    /// - Throws: the error of `body`, and ``CodecError/outOfMemory(byteCount:)``.
    package consuming func editing(
        alpha: Alpha,
        _ body: (UnsafeMutableRawBufferPointer) throws(CodecError) -> Void
    ) throws(CodecError) -> Bitmap {
        let count = byteCount
        return try rewriting(alpha: alpha) { (source, target) throws(CodecError) in
            if source != UnsafeRawPointer(target) { target.copyMemory(from: source, byteCount: count) }
            try body(UnsafeMutableRawBufferPointer(start: target, count: count))
        }
    }
}
