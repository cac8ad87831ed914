package import AlcedoPixels
import Foundation

extension EncodedImage {
    /// Decodes the first frame as it is stored, for a caller that cuts, resizes and turns it itself.
    ///
    /// - Parameters:
    ///   - size: the smallest useful size, in stored pixels; nil for full size.
    ///   - extra: bytes that `body` needs beside the pixels, reserved in the budget too.
    ///   - body: gets the pixels, and the width and height of the image in them, which for a reduced JPEG end within the last
    ///     column and row.
    /// - Returns: what `body` does.
    /// - Throws: the codec's error or that of `body`.
    package func withStoredPixels<Result>(
        atLeast size: PixelSize?, reserving extra: Int,
        _ body: (Bitmap, (width: Double, height: Double)) throws(CodecError) -> Result
    ) throws(CodecError) -> Result {
        let options = DecodeOptions {
            $0.atLeast = size
            $0.limits = limits
        }
        let memory = resources.codecs.memory(of: data.bytes, info: info, options: options)
        let cost = memory.result + max(memory.beside, extra)
        return try resources.budget.withReservation(of: cost) { () throws(CodecError) in
            let bitmap = try resources.codecs.decode(data.bytes, options: options)
            // A compromised worker process may return a size that differs from its headers.
            guard size != nil || bitmap.size == info.size else {
                throw .corrupt(
                    info.format, reason: "its bitmap is \(bitmap.size), but its headers state \(info.size)")
            }
            return try body(bitmap, extent(in: bitmap.size))
        }
    }
}
