import AlcedoPixels
import Testing

@testable import AlcedoServer

struct `Turning` {
    /// Two rows of three pixels, turned as EXIF defines it: by the sides where row 0 and column 0 go.
    private func turned(_ rows: [[Int]], _ orientation: ImageOrientation) -> [[Int]] {
        let (height, width) = (rows.count, rows[0].count)
        let swaps = orientation.swapsSides
        var turned = [[Int]](
            repeating: [Int](repeating: 0, count: swaps ? height : width), count: swaps ? width : height)
        for (row, pixels) in rows.enumerated() {
            for (column, pixel) in pixels.enumerated() {
                let (lastRow, lastColumn) = (height - 1 - row, width - 1 - column)
                switch orientation {
                case .up: turned[row][column] = pixel
                case .upMirrored: turned[row][lastColumn] = pixel
                case .down: turned[lastRow][lastColumn] = pixel
                case .downMirrored: turned[lastRow][column] = pixel
                case .leftMirrored: turned[column][row] = pixel
                case .right: turned[column][lastRow] = pixel
                case .rightMirrored: turned[lastColumn][lastRow] = pixel
                case .left: turned[lastColumn][row] = pixel
                }
            }
        }
        return turned
    }

    @Test(arguments: ImageOrientation.allCases, 0..<16)
    func `turning by one orientation does what three steps do`(file: ImageOrientation, steps: Int) {
        let stored = [[1, 2, 3], [4, 5, 6]]
        var options = ProcessingOptions()
        options.rotation = 90 * (steps & 3)
        options.flipsHorizontally = steps & 4 != 0
        options.flipsVertically = steps & 8 != 0
        var upright = turned(stored, file)
        for _ in 0..<steps & 3 { upright = turned(upright, .right) }
        if options.flipsHorizontally { upright = turned(upright, .upMirrored) }
        if options.flipsVertically { upright = turned(upright, .downMirrored) }
        #expect(turned(stored, options.orientation(of: file)) == upright)
    }

    @Test func `turning ignores the file's orientation without ar, but not rot`() throws {
        let options = try Reading.options("ar:0/rot:90")
        #expect(options.orientation(of: .leftMirrored) == .right)
        #expect(try Reading.options("rot:450").orientation(of: .up) == .right)
        #expect(try Reading.options("fl:1").orientation(of: .up) == .upMirrored)
        #expect(try Reading.options("fl::1").orientation(of: .up) == .downMirrored)
    }
}
