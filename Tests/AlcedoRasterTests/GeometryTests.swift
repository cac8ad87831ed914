import AlcedoPixels
import AlcedoRaster
import Testing

struct `Turning and cropping` {
    /// Which stored pixel belongs at (x, y) of the upright picture; W and H are the stored size.
    private func stored(_ orientation: ImageOrientation, _ x: Int, _ y: Int, _ size: PixelSize) -> (Int, Int)
    {
        let right = size.width - 1
        let bottom = size.height - 1
        switch orientation {
        case .up: return (x, y)
        case .upMirrored: return (right - x, y)
        case .down: return (right - x, bottom - y)
        case .downMirrored: return (x, bottom - y)
        case .leftMirrored: return (y, x)
        case .right: return (y, bottom - x)
        case .rightMirrored: return (right - y, bottom - x)
        case .left: return (right - y, x)
        }
    }

    @Test(
        arguments: ImageOrientation.allCases,
        [
            PixelSize(width: 1, height: 1), PixelSize(width: 1, height: 9), PixelSize(width: 9, height: 1),
            PixelSize(width: 37, height: 70), PixelSize(width: 64, height: 32),
        ]
    )
    func `turning puts every pixel where it belongs`(orientation: ImageOrientation, size: PixelSize) throws {
        let source = try Bitmap.noise(size.width, size.height, alpha: .premultiplied)
        let result = try source.oriented(orientation)
        #expect(result.size == orientation.upright(size))
        #expect(result.alpha == .premultiplied)
        for y in 0..<result.height {
            for x in 0..<result.width {
                let (column, row) = stored(orientation, x, y, size)
                guard result[x, y] == source[column, row] else {
                    Issue.record("\(orientation): (\(x), \(y)) is not (\(column), \(row))")
                    return
                }
            }
        }
    }

    @Test func `turning goes clockwise for what is stored as right`() throws {
        let source = try Bitmap.make(2, 1) { x, _ in Pixel(grey: UInt8(x)) }
        #expect(try source.oriented(.right).pixels == [Pixel(grey: 0), Pixel(grey: 1)])
        #expect(try source.oriented(.left).pixels == [Pixel(grey: 1), Pixel(grey: 0)])
    }

    @Test func `turning returns the bitmap itself if it is upright`() throws {
        let source = try Bitmap.noise(5, 4)
        #expect(try source.oriented(.up) === source)
    }

    @Test(arguments: [(0, 0, 1, 1), (0, 0, 13, 5), (3, 2, 7, 9), (12, 10, 1, 1), (0, 10, 13, 1)])
    func `cropping cuts out a rectangle`(x: Int, y: Int, width: Int, height: Int) throws {
        let source = try Bitmap.noise(13, 11)
        let result = try source.cropped(x: x, y: y, width: width, height: height)
        let expected = try Bitmap.make(width, height) { source[x + $0, y + $1] }
        #expect(result.size == expected.size)
        #expect(result.pixels == expected.pixels)
        #expect(result.alpha == .opaque)
    }

    @Test func `cropping returns the bitmap itself if nothing is cut off`() throws {
        let source = try Bitmap.noise(5, 4)
        #expect(try source.cropped(x: 0, y: 0, width: 5, height: 4) === source)
    }
}
