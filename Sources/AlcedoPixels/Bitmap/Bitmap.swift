import Glibc

/// Immutable pixels: BGRA, 8 bits a channel, top row first, rows of exactly `width * 4` bytes.
///
/// In memory each pixel is the four bytes blue, green, red, alpha, which is what cairo calls `ARGB32` and GTK
/// `B8G8R8A8_PREMULTIPLIED` on a little-endian machine. The first byte is 64-byte-aligned. Colours are sRGB.
///
/// A deep bitmap, which decoding with ``ColorRetention/full`` creates, has four channels of 16 bits in a ``colorSpace``
/// instead: red, green, blue and alpha. Whoever reads its bytes gets 8 bits of sRGB, converted and dithered;
/// ``withDeepSamples(_:)`` has its samples.
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

    /// The colours of a deep bitmap; nil for 8 bits of sRGB.
    package let deep: DeepColors?

    /// Takes ownership of `base`, which must hold the bytes of all pixels, allocated by ``PixelMemory`` for a bitmap.
    init(size: PixelSize, alpha: Alpha, deep: DeepColors? = nil, adopting base: UnsafeMutableRawPointer) {
        self.size = size
        self.alpha = alpha
        self.deep = deep
        self.base = base
        owner = nil
    }

    /// Shares the bytes of all pixels, which `owner` keeps where they are and which never change.
    ///
    /// - Throws: ``CodecError/limitExceeded(_:value:limit:)`` for a size without pixels.
    package init(
        size: PixelSize, alpha: Alpha, deep: DeepColors? = nil, sharing base: UnsafeRawPointer,
        of owner: any AnyObject & Sendable
    ) throws(CodecError) {
        self.deep = deep
        guard !size.isEmpty else { throw .limitExceeded(.pixels, value: size.area, limit: Int.max / 4) }
        self.size = size
        self.alpha = alpha
        // Only read from, as there is an owner.
        self.base = UnsafeMutableRawPointer(mutating: base)
        self.owner = owner
        ownsMemory = false
    }

    deinit { if ownsMemory { PixelMemory.freeBitmap(base, byteCount: storage.count) } }

    public var width: Int { size.width }
    public var height: Int { size.height }

    /// Bytes from the start of a row to the start of the next: always `width * 4`.
    public var bytesPerRow: Int { size.width * 4 }

    /// Bytes of pixels: `width * height * 4`.
    public var byteCount: Int { size.area * 4 }

    /// Calls `body` with all the pixels; the buffer is valid only inside it.
    ///
    /// Converts a deep bitmap each time, and ends the program if there is no memory for that: convert it once, with
    /// ``standard()``, to read it several times.
    public func withUnsafeBytes<R, E: Error>(
        _ body: (UnsafeRawBufferPointer) throws(E) -> R
    ) throws(E) -> R {
        guard deep == nil else {
            let converted: Bitmap
            do throws(CodecError) { converted = try standard() } catch { fatalError("\(error)") }
            return try converted.withUnsafeBytes(body)
        }
        return try body(UnsafeRawBufferPointer(start: base, count: byteCount))
    }

    /// Calls `body` with all the pixels; the span is valid only inside it.
    public func withBytes<R, E: Error>(_ body: (RawSpan) throws(E) -> R) throws(E) -> R {
        try withUnsafeBytes { (buffer) throws(E) in try body(buffer.bytes) }
    }

    /// Whether `other` has the same size, the same colour space and the same samples.
    package func hasSamePixels(as other: Bitmap) -> Bool {
        size == other.size && alpha == other.alpha && isDeep == other.isDeep && colorSpace == other.colorSpace
            && memcmp(base, other.base, storage.count) == 0
    }

    /// The pixels' address, valid for as long as the bitmap lives; for C libraries that share the memory.
    ///
    /// - Precondition: The bitmap is not deep.
    package var unsafeBaseAddress: UnsafeRawPointer {
        precondition(deep == nil, "a deep bitmap has no pixels of four bytes")
        return UnsafeRawPointer(base)
    }

    /// A bitmap of the same size, which `body` writes to `target` from the pixels at `source`.
    ///
    /// A deep bitmap is converted to 8 bits first. Both are the same memory if this bitmap is uniquely referenced, so that a chain of changes needs one bitmap: `body` must
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
        if bitmap.isDeep { bitmap = try bitmap.standard() }
        if bitmap.owner == nil, isKnownUniquelyReferenced(&bitmap) {
            // `result` owns the memory from here on, and frees it if `body` throws.
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

    /// As ``rewriting(alpha:_:)``, for the samples of a deep bitmap, which stays deep: red, green, blue and alpha.
    package consuming func rewritingDeep(
        alpha: Alpha,
        _ body: (
            _ source: UnsafePointer<SIMD4<UInt16>>, _ target: UnsafeMutablePointer<SIMD4<UInt16>>
        ) throws(CodecError) -> Void
    ) throws(CodecError) -> Bitmap {
        var bitmap = consume self
        precondition(bitmap.isDeep, "only deep bitmaps have such samples")
        let count = bitmap.size.area
        if bitmap.owner == nil, isKnownUniquelyReferenced(&bitmap) {
            bitmap.ownsMemory = false
            let result = Bitmap(size: bitmap.size, alpha: alpha, deep: bitmap.deep, adopting: bitmap.base)
            let samples = result.base.bindMemory(to: SIMD4<UInt16>.self, capacity: count)
            try body(samples, samples)
            return result
        }
        var result = try PixelBuilder(size: bitmap.size, alpha: alpha, deep: bitmap.deep)
        try result.withUnsafeMutableBytes { (output) throws(CodecError) in
            guard let target = output.bindMemory(to: SIMD4<UInt16>.self).baseAddress else { return }
            try body(UnsafePointer(bitmap.base.bindMemory(to: SIMD4<UInt16>.self, capacity: count)), target)
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

// MARK: - Deep pixels

extension Bitmap {
    /// Whether channels have 16 bits.
    public var isDeep: Bool { deep != nil }

    /// What the channels mean; always ``ColorSpace/sRGB`` with 8 bits.
    public var colorSpace: ColorSpace { deep?.space ?? .sRGB }

    /// The bitmap in 8 bits of sRGB, dithered where it has more; itself if it is not deep.
    ///
    /// - Throws: ``CodecError/outOfMemory(byteCount:)`` if there is no memory for it.
    public func standard() throws(CodecError) -> Bitmap {
        guard let deep else { return self }
        return try deep.conversion.standard(self)
    }

    /// Calls `body` with the samples of all pixels, row by row: red, green, blue and alpha of 16 bits in ``colorSpace``.
    ///
    /// The buffer is valid only inside `body`.
    ///
    /// - Returns: the result of `body`; nil if the bitmap is not deep.
    public func withDeepSamples<R, E: Error>(
        _ body: (UnsafeBufferPointer<UInt16>) throws(E) -> R
    ) throws(E) -> R? {
        guard isDeep else { return nil }
        return try body(storage.bindMemory(to: UInt16.self))
    }

    /// Bytes of a pixel in memory: 4, or 8 of a deep bitmap.
    package var bytesPerPixel: Int { deep == nil ? 4 : 8 }

    /// The pixels as they are in memory, valid for as long as the bitmap lives.
    package var storage: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: base, count: size.area * bytesPerPixel)
    }

    /// Bytes of memory that the bitmap takes.
    package var memoryCount: Int { storage.count + (deep?.space.byteCount ?? 0) }
}

extension Bitmap: Equatable {
    /// Whether size, kind of alpha, depth, colour space and all samples are equal; reads the samples of both.
    public static func == (left: Bitmap, right: Bitmap) -> Bool {
        left === right || left.hasSamePixels(as: right)
    }
}
