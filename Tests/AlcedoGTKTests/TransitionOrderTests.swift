#if GTK
    import AlcedoGTK
    import AlcedoTestSupport
    import CGtk4
    import Foundation
    import Testing

    @MainActor
    @Suite(.serialized, .timeLimit(.minutes(10)))
    struct `Transitions one after the other` {
        private static let long = ViewTransition(.crossDissolve, duration: 3600)
        private static let short = ViewTransition(.crossDissolve, duration: 0.02)

        private let window: Window
        private let ends = Recorder<String>()
        private var view: ImageView { window.view }
        private var surface: any ViewSurface { window.view.surface }

        init() throws {
            window = try Window { ImageView() }
            window.view.image = try Sample.plain(20, 10, 255, 0, 0)
            _ = try window.drawn()
        }

        private func show(
            _ level: UInt8, by transition: ViewTransition, then: @escaping @MainActor (Bool) -> Void
        )
            throws
        {
            let image = try Sample.plain(20, 10, level, 0, 0)
            surface.transition(transition, changes: { view.image = image }, completion: then)
        }

        @Test func `a transition may start in the completion of one that is cut short`() async throws {
            try show(10, by: Self.long) { [ends] in
                ends.append("first \($0)")
                try? show(30, by: Self.short) { ends.append("third \($0)") }
            }
            try show(20, by: Self.long) { [ends] in ends.append("second \($0)") }
            try await window.run { ends.count == 3 }
            #expect(ends.values == ["first false", "second false", "third true"])
            #expect(try window.drawn()?.pixels.first == 30)
        }

        @Test func `a transition may start in the completion of one that has ended`() async throws {
            try show(10, by: Self.short) { [ends] in
                ends.append("first \($0)")
                try? show(20, by: Self.short) { ends.append("second \($0)") }
            }
            try await window.run { ends.count == 2 }
            #expect(ends.values == ["first true", "second true"])
            #expect(try window.drawn()?.pixels.first == 20)
        }

        @Test func `a transition may start among the changes of another`() async throws {
            let image = try Sample.plain(20, 10, 40, 0, 0)
            surface.transition(Self.short) { [ends] in
                try? show(30, by: Self.long) { ends.append("inner \($0)") }
                view.image = image
            } completion: { [ends] in
                ends.append("outer \($0)")
            }
            try await window.run { ends.count == 2 }
            #expect(ends.values == ["inner false", "outer true"])
            #expect(try window.drawn()?.pixels.first == 40)
        }

        @Test func `a transition may start when the view goes out of sight`() async throws {
            try show(10, by: Self.long) { [ends] in
                ends.append("first \($0)")
                try? show(20, by: Self.long) { ends.append("second \($0)") }
            }
            window.setVisible(false)
            #expect(ends.values == ["first false", "second false"])
            #expect(view.image.map { try? $0.bitmap().bytes[0] } == 20)
        }

        @Test
        func `a transition reports that it was cut short if the widget goes with the view`() async throws {
            var other: ImageView? = ImageView()
            let container = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0)
            let window = try Window {
                ImageView()
            } container: { _ in
                container
            }
            let box = OpaquePointer(container)
            gtk_box_append(UnsafeMutablePointer(box), try #require(other).widget)
            let image = try Sample.plain(20, 10, 10, 0, 0)
            other?.image = image
            try await window.run { other?.surface.isVisible == true }
            let widget = try #require(other).widget
            other?.surface.transition(Self.long, changes: {}) { [ends] in ends.append("\($0)") }
            other = nil
            #expect(ends.count == 0, "the widget is still there")
            gtk_box_remove(UnsafeMutablePointer(box), widget)
            try await window.run { ends.count == 1 }
            #expect(ends.values == ["false"])
        }
    }
#endif
