import Alcedo
import AlcedoCodecs

/// Draws a bitmap in DEC's sixels (VT330/VT340 Programmer Reference Manual, chapter 14): bands of six rows, in which each
/// colour has one character a column.
enum Sixels {
    /// The height of a band, in pixels.
    static let rows = 6

    static func text(of bitmap: Bitmap) throws -> String {
        let pixels = try IndexedPixels(bitmap)
        let (width, height) = (pixels.size.width, pixels.size.height)
        // 1: pixels that are not drawn keep the background.
        var output = Array("\u{1B}P0;1;0q\"1;1;\(width);\(height)".utf8)
        for (index, color) in pixels.colors.enumerated() {
            let percent = [16, 8, 0].map { ((color >> $0 & 0xFF) * 100 + 127) / 255 }
            output += "#\(index);2;\(percent[0]);\(percent[1]);\(percent[2])".utf8
        }
        // The six bits of each column, for each colour of a band.
        var bits = [UInt8](repeating: 0, count: pixels.colors.count * width)
        for top in stride(from: 0, to: height, by: rows) {
            if top > 0 { output.append(UInt8(ascii: "-")) }
            var isUsed = [Bool](repeating: false, count: pixels.colors.count)
            for y in top..<min(top + rows, height) {
                for x in 0..<width {
                    let color = pixels.indices[y * width + x]
                    guard color != IndexedPixels.clear else { continue }
                    isUsed[Int(color)] = true
                    bits[Int(color) * width + x] |= 1 << UInt8(y - top)
                }
            }
            for color in pixels.colors.indices where isUsed[color] {
                output += "#\(color)".utf8
                let columns = color * width..<(color + 1) * width
                appendRuns(of: bits[columns], to: &output)
                output.append(UInt8(ascii: "$"))
                for column in columns { bits[column] = 0 }
            }
        }
        return String(decoding: output, as: UTF8.self) + "\u{1B}\\"
    }

    /// Appends a character for each column, runs of more than three as `!COUNT`; columns without pixels at the end are
    /// left out.
    private static func appendRuns(of columns: ArraySlice<UInt8>, to output: inout [UInt8]) {
        let end: Int = columns.lastIndex { $0 != 0 }.map { $0 + 1 } ?? columns.startIndex
        var start = columns.startIndex
        while start < end {
            var next = start + 1
            while next < end, columns[next] == columns[start] { next += 1 }
            let character = 63 + columns[start]
            if next - start > 3 {
                output += "!\(next - start)".utf8
                output.append(character)
            } else {
                output += [UInt8](repeating: character, count: next - start)
            }
            start = next
        }
    }
}
