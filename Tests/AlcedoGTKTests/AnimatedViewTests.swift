#if GTK
    import AlcedoGTK
    import AlcedoTestSupport
    import CGtk4
    import Foundation
    import Testing

    @MainActor
    @Suite(.serialized, .timeLimit(.minutes(10)))
    struct `An animated image view in a window` {
        private let clock = ManualClock()
        private let window: Window
        private let view: AnimatedImageView
        private let image: Image

        init() throws {
            let clock = clock
            let view = try { () throws -> AnimatedImageView in
                try #require(gtk_init_check() != 0)
                return AnimatedImageView()
            }()
            view.clock = clock
            view.needsPrescaling = false
            self.view = view
            window = try Window { view }
            image = try #require(Image(data: Data(try Fixture.data("gif/fire.gif"))))
        }

        @Test func `an animated view draws the frames of a GIF, one after the other`() async throws {
            _ = try window.drawn()
            let source = try #require(image.kf.frameSource)
            view.image = image
            #expect(view.isAnimating)
            for index in 0..<min(8, source.frameCount) {
                try await window.run { clock.sleepers > 0 && view.animator?.currentFrameIndex == index }
                let frame = try #require(source.frame(at: index))
                let isFrame = try window.drawn()?.pixels == frame.bytes
                #expect(isFrame, "frame \(index)")
                try await window.run { view.animator?.frame(at: (index + 1) % source.frameCount) != nil }
                clock.advance(by: .microseconds(Int64((source.duration(at: index) * 1e6).rounded())))
            }
        }

        @Test func `an animated view stays at its first frame if the desktop turns animations off`() throws {
            // Without a suspension, as the setting is that of all tests.
            func setAnimations(_ isOn: Bool) throws {
                let settings = try #require(gtk_widget_get_settings(view.widget))
                var value = GValue()
                g_value_init(&value, GType(5 << 2))
                g_value_set_boolean(&value, isOn ? 1 : 0)
                let object = UnsafeMutableRawPointer(settings).assumingMemoryBound(to: GObject.self)
                g_object_set_property(object, "gtk-enable-animations", &value)
            }
            _ = try window.drawn()
            try setAnimations(false)
            defer { try? setAnimations(true) }
            view.image = image
            #expect(!view.isAnimating)
            view.respectsReducedMotion = false
            #expect(view.isAnimating)
            view.respectsReducedMotion = true
            #expect(!view.isAnimating)
            view.startAnimating()
            #expect(view.isAnimating, "as the program wants it")
            view.image = nil
            view.image = image
            #expect(!view.isAnimating)
            try setAnimations(true)
            #expect(view.isAnimating)
            view.seek(toFrameAt: 3)
            try setAnimations(false)
            #expect(!view.isAnimating && view.animator?.currentFrameIndex == 0)
        }

        @Test func `an animated view plays only while it is visible`() async throws {
            _ = try window.drawn()
            view.image = image
            #expect(view.isAnimating)
            window.setVisible(false)
            #expect(!view.isAnimating)
            window.setVisible(true)
            #expect(view.isAnimating)
            view.stopAnimating()
            window.setVisible(false)
            window.setVisible(true)
            #expect(!view.isAnimating, "as it was told")
        }
    }

    @MainActor
    @Suite(.serialized, .timeLimit(.minutes(10)))
    struct `A button in a window` {
        @Test func `a button shows the image of its state`() throws {
            var button: Button?
            let window = try Window {
                button = Button()
                return ImageView()
            } container: { _ in
                button?.widget
            }
            let made = try #require(button)
            let (normal, disabled) = (
                try Sample.plain(30, 30, 200, 0, 0), try Sample.plain(30, 30, 0, 0, 200)
            )
            made.setImage(normal, for: .normal)
            made.setImage(disabled, for: .disabled)
            #expect(made.state == .normal)
            let widget = made.widget
            #expect(try window.middlePixel(of: widget) == [200, 0, 0, 255])
            let content = try #require(made.surface as? WidgetSurface).content
            gtk_widget_set_state_flags(content, GTK_STATE_FLAG_ACTIVE, 0)
            #expect(made.state == .highlighted)
            #expect(try window.middlePixel(of: widget) == [200, 0, 0, 255], "as in the normal state")
            gtk_widget_unset_state_flags(content, GTK_STATE_FLAG_ACTIVE)
            gtk_widget_set_sensitive(content, 0)
            #expect(made.state == .disabled)
            let pixel = try window.middlePixel(of: widget)
            #expect(pixel[2] > 150 && pixel[0] + 50 < pixel[2], "the theme may pale the blue: \(pixel)")
        }
    }
#endif
