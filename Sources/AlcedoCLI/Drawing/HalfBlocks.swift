import Alcedo

/// Draws a bitmap with `▀`, whose foreground is the upper pixel and whose background the lower one.
enum HalfBlocks {
    static func text(of bitmap: Bitmap) -> String {
        bitmap.withUnsafeBytes { bytes in
            var text = ""
            for y in stride(from: 0, to: bitmap.height, by: 2) {
                for x in 0..<bitmap.width {
                    let upper = color(in: bytes, at: y * bitmap.bytesPerRow + x * 4)
                    let lower =
                        y + 1 < bitmap.height
                        ? color(in: bytes, at: (y + 1) * bitmap.bytesPerRow + x * 4) : nil
                    text += cell(upper: upper, lower: lower)
                }
                text += "\u{1B}[0m\n"
            }
            return text
        }
    }

    private static func cell(upper: String?, lower: String?) -> String {
        switch (upper, lower) {
        case (let upper?, let lower?): "\u{1B}[38;2;\(upper);48;2;\(lower)m▀"
        case (let upper?, nil): "\u{1B}[0;38;2;\(upper)m▀"
        case (nil, let lower?): "\u{1B}[0;38;2;\(lower)m▄"
        case (nil, nil): "\u{1B}[0m "
        }
    }

    /// `r;g;b`; nil for a transparent pixel, which shows the terminal's background.
    private static func color(in bytes: UnsafeRawBufferPointer, at offset: Int) -> String? {
        guard bytes[offset + 3] >= 32 else { return nil }
        return "\(bytes[offset + 2]);\(bytes[offset + 1]);\(bytes[offset])"
    }
}
