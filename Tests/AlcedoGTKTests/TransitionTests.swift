#if GTK
    @testable import AlcedoGTK
    import CGtk4
    import Foundation
    import Testing

    @MainActor
    @Suite(.serialized, .timeLimit(.minutes(10)))
    struct `A picture on its way to the next` {
        private let window: Window
        private let paintable: ImagePaintable

        init() throws {
            window = try Window { ImageView() }
            paintable = ImagePaintable()
            paintable.show(try Sample.plain(20, 10, 200, 0, 0))
            paintable.keepForTransition()
            paintable.show(try Sample.plain(20, 10, 0, 0, 100))
        }

        private func pixels() throws -> [UInt8] {
            try #require(try window.pixels(of: paintable.handle, width: 20, height: 10))
        }

        @Test(arguments: [false, true]) func `a picture in transition fades as a mixture`(byCairo: Bool)
            throws
        {
            paintable.usesCairoRenderer = { byCairo }
            for (progress, blue, red) in [(0.0, 200, 0), (0.25, 150, 25), (0.5, 100, 50), (1, 0, 100)] {
                paintable.transition = (.crossDissolve, progress)
                let pixels = try pixels()
                let isMixture = stride(from: 0, to: pixels.count, by: 4).allSatisfy {
                    abs(Int(pixels[$0]) - blue) <= 2 && abs(Int(pixels[$0 + 2]) - red) <= 2
                }
                #expect(isMixture, "\(progress): \(pixels.prefix(4))")
            }
            paintable.transition = nil
            #expect(Array(try pixels().prefix(4)) == [0, 0, 100, 255])
        }

        @Test func `a picture in transition can be kept as it is now`() throws {
            let current = gdk_paintable_get_current_image(paintable.handle)
            defer { g_object_unref(UnsafeMutableRawPointer(current)) }
            paintable.show(nil)
            let pixels = try window.pixels(of: current, width: 20, height: 10)
            #expect(pixels.map { Array($0.prefix(4)) } == [0, 0, 100, 255])
        }

        @Test(arguments: [
            ViewTransition.Style.flipFromLeft, .flipFromRight, .flipFromTop, .flipFromBottom,
        ])
        func `a picture in transition turns away and comes back as the next`(style: ViewTransition.Style)
            throws
        {
            paintable.usesCairoRenderer = { true }
            for (progress, middle) in [(0.4, [200, 0, 0, 255]), (0.6, [0, 0, 100, 255])] {
                paintable.transition = (style, progress)
                let pixels = try pixels()
                let at = pixels.count / 2 - 40
                #expect(pixels[at..<at + 4].map(Int.init) == middle)
                #expect(pixels.prefix(4).allSatisfy { $0 == 0 }, "nothing is where it has turned away from")
            }
        }
    }
#endif
