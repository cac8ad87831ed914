import Alcedo
import AlcedoTesting
import Foundation
import Testing

@MainActor
struct `A surface without a display` {
    private let surface = HeadlessSurface()

    @Test func `a surface without a display records what a view shows`() throws {
        let view = ImageView(surface: surface)
        let image = try Image.solid(width: 3, height: 2, color: Color(red: 1, green: 0, blue: 0))
        view.image = image
        view.isHidden = true
        view.contentMode = .scaleAspectFill
        #expect(surface.shown.last == image && surface.isHidden && surface.contentMode == .scaleAspectFill)
        #expect(try image.pixels(in: PixelLayout(.rgba, .straight)).prefix(4) == [255, 0, 0, 255])
        surface.size = CGSize(width: 30, height: 20)
        #expect(view.bounds.size == surface.size)
    }

    @Test func `a surface without a display holds transitions until a test ends them`() {
        var ends: [Bool] = []
        surface.holdsTransitions = true
        surface.transition(ViewTransition(.none, duration: 1), changes: {}, completion: { ends.append($0) })
        surface.transition(ViewTransition(.none, duration: 2), changes: {}, completion: { ends.append($0) })
        #expect(surface.transitions.map(\.transition.duration) == [1, 2] && ends == [false])
        surface.transitions[1].completion(true)
        surface.transitions[1].completion(true)
        #expect(ends == [false, true])
    }
}
