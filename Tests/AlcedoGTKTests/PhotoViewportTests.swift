import AlcedoPixels
import Foundation
import Testing

@testable import AlcedoGTK

struct `The viewport of a photo view` {
    private func viewport(_ width: Double, _ height: Double, scale: Double = 1) -> PhotoViewport {
        var viewport = PhotoViewport()
        viewport.picture = CGSize(width: width, height: height)
        viewport.view = CGSize(width: 400, height: 300)
        viewport.scale = scale
        return viewport
    }

    /// The pixel of the picture at a place in the view.
    private func pixel(_ viewport: PhotoViewport, at place: CGPoint) -> CGPoint {
        let frame = viewport.frame
        return CGPoint(
            x: (place.x - frame.minX) / viewport.zoom, y: (place.y - frame.minY) / viewport.zoom)
    }

    @Test func `a photo viewport shows all of a picture at first, in the middle`() {
        let viewport = viewport(4000, 1000)
        #expect(viewport.isFit && viewport.zoom == 0.1)
        #expect(viewport.frame == CGRect(x: 0, y: 100, width: 400, height: 100))
        #expect(viewport.visible() == CGRect(x: 0, y: 0, width: 4000, height: 1000))
        #expect(viewport.fittedPixels == PixelSize(width: 400, height: 100))
    }

    @Test func `a photo viewport does not enlarge a small picture, whatever the scale`() {
        #expect(viewport(20, 10).frame == CGRect(x: 190, y: 145, width: 20, height: 10))
        let dense = viewport(20, 10, scale: 2)
        #expect(dense.frame == CGRect(x: 195, y: 147.5, width: 10, height: 5))
        #expect(dense.pixels == 1 && dense.fittedPixels == PixelSize(width: 20, height: 10))
    }

    @Test(arguments: [1.0, 1.5, 2]) func `a photo viewport keeps the pixel at the pointer`(scale: Double) {
        var viewport = viewport(4000, 3000, scale: scale)
        let place = CGPoint(x: 100, y: 210)
        for factor in [3.0, 2.5, 0.7, 1.9] {
            let before = pixel(viewport, at: place)
            viewport.zoom(by: factor, about: place)
            let after = pixel(viewport, at: place)
            // The frame starts at a pixel of the screen.
            #expect(abs(before.x - after.x) * viewport.pixels <= 1)
            #expect(abs(before.y - after.y) * viewport.pixels <= 1)
        }
        viewport.showPixels(about: place)
        #expect(viewport.pixels == 1)
    }

    @Test func `a photo viewport leaves no room beside a picture that is larger than the view`() {
        var viewport = viewport(4000, 3000)
        viewport.showPixels(about: .zero)
        #expect(viewport.visible() == CGRect(x: 0, y: 0, width: 400, height: 300))
        viewport.pan(by: 50, 50)
        #expect(viewport.frame.origin == .zero)
        viewport.pan(by: -100, -20)
        #expect(viewport.visible() == CGRect(x: 100, y: 20, width: 400, height: 300))
        viewport.pan(by: -9000, -9000)
        #expect(viewport.visible() == CGRect(x: 3600, y: 2700, width: 400, height: 300))
        #expect(
            viewport.visible(margin: 0.25) == CGRect(x: 3500, y: 2625, width: 500, height: 375))
    }

    @Test func `a photo viewport centres a side that is shorter than the view`() {
        var viewport = viewport(4000, 1000)
        viewport.zoom(by: 2, about: CGPoint(x: 0, y: 0))
        viewport.pan(by: 0, 70)
        #expect(viewport.frame == CGRect(x: 0, y: 50, width: 800, height: 200))
    }

    @Test func `a photo viewport zooms between the whole picture and sixteen pixels for one`() {
        var viewport = viewport(4000, 3000)
        viewport.zoom(by: 1e9, about: .zero)
        #expect(viewport.pixels == 16)
        viewport.zoom(by: 1e-9, about: .zero)
        #expect(viewport.isFit)
        viewport.zoom(by: .nan, about: .zero)
        #expect(viewport.isFit)
    }

    @Test func `a photo viewport follows the view's size, and starts anew with another picture`() {
        var viewport = viewport(4000, 3000)
        viewport.showPixels(about: CGPoint(x: 200, y: 150))
        viewport.view = CGSize(width: 4000, height: 3000)
        #expect(viewport.isFit)
        viewport.view = CGSize(width: 40, height: 30)
        viewport.showPixels(about: .zero)
        viewport.picture = CGSize(width: 300, height: 400)
        #expect(viewport.isFit && viewport.zoom == 0.075)
    }
}
