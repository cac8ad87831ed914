package import AlcedoPixels

/// Finds the part of an image that matters most: where edges and saturated colours are.
package struct SmartFrame {
    /// A score of each pixel of a small copy, summed up from the upper left corner.
    private let sums: [Double]
    private let columns: Int
    private let rows: Int

    /// The longer side of the small copy.
    package static let side = 96

    /// Scores `bitmap`, the whole image at any size.
    package init(_ bitmap: Bitmap) throws(CodecError) {
        let longer = max(bitmap.width, bitmap.height)
        let size = PixelSize(
            width: max(1, bitmap.width * Self.side / max(longer, Self.side)),
            height: max(1, bitmap.height * Self.side / max(longer, Self.side)))
        let small = try bitmap.resized(to: size).standard()
        let (columns, rows) = (size.width, size.height)
        var luma = [Double](repeating: 0, count: size.area)
        var scores = luma
        small.withUnsafeBytes { pixels in
            for index in 0..<size.area {
                let (blue, green, red) = (
                    Double(pixels[index * 4]), Double(pixels[index * 4 + 1]),
                    Double(pixels[index * 4 + 2])
                )
                luma[index] = 0.0722 * blue + 0.7152 * green + 0.2126 * red
                let most = max(blue, green, red)
                let saturation = most > 0 ? (most - min(blue, green, red)) / most : 0
                // Dark pixels are saturated by chance.
                scores[index] = saturation * min(most / 255, 0.7) * 40
            }
        }
        for y in 0..<rows {
            for x in 0..<columns {
                func at(_ x: Int, _ y: Int) -> Double {
                    luma[min(max(y, 0), size.height - 1) * size.width + min(max(x, 0), size.width - 1)]
                }
                scores[y * columns + x] +=
                    abs(at(x + 1, y) - at(x - 1, y)) + abs(at(x, y + 1) - at(x, y - 1))
            }
        }
        var sums = [Double](repeating: 0, count: (columns + 1) * (rows + 1))
        for y in 0..<rows {
            for x in 0..<columns {
                sums[(y + 1) * (columns + 1) + x + 1] =
                    scores[y * columns + x] + sums[y * (columns + 1) + x + 1]
                    + sums[(y + 1) * (columns + 1) + x] - sums[y * (columns + 1) + x]
            }
        }
        (self.sums, self.columns, self.rows) = (sums, columns, rows)
    }

    /// The best place for a frame of `inner` in an image of `whole`; of equals the one nearest to the centre.
    package func origin(of inner: PixelSize, in whole: PixelSize) -> PixelOffset {
        let width = max(1, (inner.width * columns + whole.width / 2) / max(whole.width, 1))
        let height = max(1, (inner.height * rows + whole.height / 2) / max(whole.height, 1))
        let (freeColumns, freeRows) = (max(0, columns - width), max(0, rows - height))
        var best = (score: -1.0, distance: 0, x: 0, y: 0)
        for y in 0...freeRows {
            for x in 0...freeColumns {
                let score = sum(x, y, min(x + width, columns), min(y + height, rows))
                let distance = abs(2 * x - freeColumns) + abs(2 * y - freeRows)
                if score > best.score + 1e-6 || score > best.score - 1e-6 && distance < best.distance {
                    best = (score, distance, x, y)
                }
            }
        }
        func scaled(_ place: Int, _ free: Int, _ room: Int) -> Int {
            free == 0 ? room / 2 : (place * room + free / 2) / free
        }
        return PixelOffset(
            x: scaled(best.x, freeColumns, whole.width - inner.width),
            y: scaled(best.y, freeRows, whole.height - inner.height))
    }

    private func sum(_ left: Int, _ top: Int, _ right: Int, _ bottom: Int) -> Double {
        let stride = columns + 1
        return sums[bottom * stride + right] - sums[top * stride + right] - sums[bottom * stride + left]
            + sums[top * stride + left]
    }
}
