import AlcedoPixels
import CWebP

/// A `WebPPicture` with a copy of a bitmap's pixels, in straight alpha.
struct WebPPictureHandle: ~Copyable {
    var picture: WebPPicture

    /// Imports RGB if `isLossless`, which the encoder may convert itself, else converts to YUV for lossy encoding.
    init(_ bitmap: Bitmap, isLossless: Bool) throws(CodecError) {
        guard bitmap.width <= WEBP_MAX_DIMENSION, bitmap.height <= WEBP_MAX_DIMENSION else {
            throw .encodingFailed(.webp, reason: "\(bitmap.size) is over \(WEBP_MAX_DIMENSION) pixels a side")
        }
        var picture = WebPPicture()
        guard WebPPictureInit(&picture) != 0 else {
            throw .encodingFailed(.webp, reason: "libwebp has another ABI version than at build time")
        }
        picture.use_argb = isLossless ? 1 : 0
        picture.width = Int32(bitmap.width)
        picture.height = Int32(bitmap.height)
        let isImported =
            if bitmap.alpha == .premultiplied {
                Self.importUnmultiplied(bitmap, into: &picture)
            } else {
                bitmap.withUnsafeBytes { Self.importPixels($0, bitmap, into: &picture) }
            }
        guard isImported else {
            WebPPictureFree(&picture)
            throw .encodingFailed(.webp, reason: "out of memory")
        }
        self.picture = picture
    }

    deinit {
        var picture = picture
        WebPPictureFree(&picture)
    }

    /// The error with libwebp's error code.
    var failure: CodecError { .encodingFailed(.webp, reason: "libwebp error \(picture.error_code.rawValue)") }

    private static func importPixels(
        _ pixels: UnsafeRawBufferPointer,
        _ bitmap: Bitmap,
        into picture: inout WebPPicture
    ) -> Bool {
        let start = pixels.baseAddress?.assumingMemoryBound(to: UInt8.self)
        let stride = Int32(bitmap.bytesPerRow)
        return bitmap.alpha == .opaque
            ? WebPPictureImportBGRX(&picture, start, stride) != 0
            : WebPPictureImportBGRA(&picture, start, stride) != 0
    }

    private static func importUnmultiplied(_ bitmap: Bitmap, into picture: inout WebPPicture) -> Bool {
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: bitmap.byteCount, alignment: 16)
        defer { memory.deallocate() }
        bitmap.withUnsafeBytes { memory.copyMemory(from: $0) }
        PixelRows(memory, bitmap.size).unpremultiply()
        return importPixels(UnsafeRawBufferPointer(memory), bitmap, into: &picture)
    }
}
