import AlcedoCodecs
import AlcedoLocks
import AlcedoRaster

/// An image's bytes, its pixels or both: what it shares with its copies at other scales.
final class PixelStore: Sendable {
    /// The bytes that the pixels are decoded from; nil for changed or drawn pixels.
    let encoded: EncodedImage?

    /// Pixels that still have to be turned; nil if there are none.
    private let lying: (bitmap: Bitmap, orientation: Orientation)?
    private let decoded: Lock<Bitmap?>
    private let reduced = Lock<Bitmap?>(nil)

    /// Bytes, and the pixels of their first frame if they are known.
    init(_ encoded: EncodedImage, decoded: Bitmap? = nil) {
        self.encoded = encoded
        self.decoded = Lock(decoded)
        lying = nil
    }

    init(_ bitmap: Bitmap, orientation: Orientation = .up) {
        encoded = nil
        lying = orientation == .up ? nil : (bitmap, orientation)
        decoded = Lock(orientation == .up ? bitmap : nil)
    }

    var decodedBitmap: Bitmap? { decoded.withLock { $0 } }

    /// The last pixels of another size that were kept.
    var reducedBitmap: Bitmap? { reduced.withLock { $0 } }

    /// Keeps pixels of another size, and no others of that kind.
    func keep(reduced bitmap: Bitmap) {
        let old = reduced.withLock { reduced in
            defer { reduced = bitmap }
            return reduced
        }
        withExtendedLifetime(old) {}
    }

    /// The pixels; decoded on first use and then kept.
    ///
    /// All threads that decode at the same time get what the first one of them made.
    func bitmap() throws(CodecError) -> Bitmap {
        if let bitmap = decodedBitmap { return bitmap }
        let bitmap = try decode()
        let kept = decoded.withLock { kept in
            let first = kept ?? bitmap
            kept = first
            return first
        }
        // Where another thread was first, these pixels are freed here and not inside the lock.
        _ = consume bitmap
        return kept
    }

    /// Pixels that are no smaller than `size`, or than the image; not kept.
    func bitmap(atLeast size: PixelSize) throws(CodecError) -> Bitmap {
        if let bitmap = decodedBitmap { return bitmap }
        return try decode(atLeast: size)
    }

    private func decode(atLeast size: PixelSize? = nil) throws(CodecError) -> Bitmap {
        if let lying { return try lying.bitmap.oriented(lying.orientation) }
        guard let encoded else { preconditionFailure("an Image has bytes or pixels") }
        return try encoded.decode(atLeast: size)
    }
}
