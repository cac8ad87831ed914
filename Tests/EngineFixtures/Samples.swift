import Alcedo
import AlcedoCodecs
import AlcedoPixels

/// Pictures made on the spot, so that a test knows every pixel.
enum Sample {
    /// One colour, given as blue, green, red, alpha.
    static func bitmap(
        _ width: Int,
        _ height: Int,
        bgra: [UInt8] = [40, 120, 200, 255],
        alpha: Bitmap.Alpha = .opaque
    ) throws -> Bitmap {
        var builder = try PixelBuilder(size: PixelSize(width: width, height: height), alpha: alpha)
        builder.withUnsafeMutableBytes { bytes in
            for index in bytes.indices { bytes[index] = bgra[index % 4] }
        }
        return builder.freeze()
    }

    static func png(_ width: Int, _ height: Int) throws -> [UInt8] { try encoded(width, height, as: .png) }

    static func jpeg(_ width: Int, _ height: Int) throws -> [UInt8] { try encoded(width, height, as: .jpeg) }

    /// A PNG with sound headers, whose pixels can't be decoded.
    static func damagedPNG(_ width: Int, _ height: Int) throws -> [UInt8] {
        var bytes = try png(width, height)
        // The first byte after zlib's header starts a block of a kind that does not exist.
        let marker = bytes.firstRange(of: Array("IDAT".utf8))
        if let start = marker?.upperBound { bytes[start + 2] = 0xFF }
        return bytes
    }

    private static func encoded(_ width: Int, _ height: Int, as format: EncodedFormat) throws -> [UInt8] {
        try CodecRegistry.shared.encode(bitmap(width, height), as: format, options: EncodeOptions())
    }
}

extension Bitmap {
    /// Blue, green, red and alpha of one pixel.
    func pixel(_ x: Int, _ y: Int) -> [UInt8] {
        withUnsafeBytes { Array($0[(y * bytesPerRow + x * 4)..<(y * bytesPerRow + x * 4 + 4)]) }
    }
}
