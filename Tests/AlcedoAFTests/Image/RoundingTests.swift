import Alcedo
import AlcedoAF
import AlcedoRaster
import Foundation
import Testing

struct `Rounding an image` {
    private let picture: Bitmap

    init() throws {
        picture = try stripes(third: 10, height: 20)
    }

    @Test func `rounding an image cuts its corners off, with a radius in points`() throws {
        let result = Image(bitmap: picture, scale: 2).af.imageRounded(withCornerRadius: 4)
        #expect(result.scale == 2)
        #expect(result.af.containsAlphaComponent)
        let bitmap = try result.bitmap()
        #expect(bitmap.size == picture.size)
        for (x, y) in [(0, 0), (29, 0), (0, 19), (29, 19)] { #expect(bitmap[x, y] == clear) }
        #expect(bitmap[0, 8] == red && bitmap[29, 8] == blue && bitmap[15, 0] == green)
        #expect(try bitmap.pixels == picture.roundedCorners(radii: CornerRadii(8)).pixels)
    }

    @Test func `rounding an image can take the radius in pixels`() throws {
        let image = Image(bitmap: picture, scale: 2)
        let result = image.af.imageRounded(withCornerRadius: 8, divideRadiusByImageScale: true)
        #expect(try result.bitmap().pixels == image.af.imageRounded(withCornerRadius: 4).bitmap().pixels)
    }

    @Test func `rounding an image into a circle leaves the middle square's circle`() throws {
        let result = Image(bitmap: picture, scale: 2).af.imageRoundedIntoCircle()
        #expect(result.size == CGSize(width: 10, height: 10))
        let bitmap = try result.bitmap()
        for y in 0..<20 {
            for x in 0..<20 {
                let (dx, dy) = (Double(x) - 9.5, Double(y) - 9.5)
                let distance = (dx * dx + dy * dy).squareRoot()
                if distance > 10.8 { #expect(bitmap[x, y] == clear) }
                if distance < 9.2 { #expect(bitmap[x, y] == picture[x + 5, y]) }
            }
        }
    }
}
