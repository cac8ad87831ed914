import Alcedo
import AlcedoConsole

/// Draws a bitmap with `▀`, whose foreground is the upper pixel and whose background the lower one.
enum HalfBlocks {
    static func text(of bitmap: Bitmap, in colors: TerminalColors) -> String {
        bitmap.withUnsafeBytes { bytes in
            /// Nil for a transparent pixel, which shows the terminal's background, and for one below the bitmap.
            func color(_ x: Int, _ y: Int, isBackground: Bool) -> String? {
                let offset = y * bitmap.bytesPerRow + x * 4
                guard y < bitmap.height, bytes[offset + 3] >= 32 else { return nil }
                return colors.code(
                    red: bytes[offset + 2], green: bytes[offset + 1], blue: bytes[offset],
                    isBackground: isBackground)
            }
            var text = ""
            for y in stride(from: 0, to: bitmap.height, by: 2) {
                for x in 0..<bitmap.width {
                    let upper = color(x, y, isBackground: false)
                    // A single lower pixel is the foreground of ▄.
                    let lower = color(x, y + 1, isBackground: upper != nil)
                    text += cell(upper: upper, lower: lower)
                }
                text += "\u{1B}[0m\n"
            }
            return text
        }
    }

    private static func cell(upper: String?, lower: String?) -> String {
        switch (upper, lower) {
        case (let upper?, let lower?): "\u{1B}[\(upper);\(lower)m▀"
        case (let upper?, nil): "\u{1B}[0;\(upper)m▀"
        case (nil, let lower?): "\u{1B}[0;\(lower)m▄"
        case (nil, nil): "\u{1B}[0m "
        }
    }
}
