#if GTK
    import AlcedoGTK
    import AlcedoTestSupport
    import CGtk4
    import ExampleWidgets
    import Foundation

    /// Plays an animation, and measures how late its frames are drawn.
    @MainActor
    final class AnimationTest {
        private let seconds: Double
        private let view = AnimatedImageView()
        private let window: Widget = gtk_window_new()
        private var first: gint64?
        private var shownIndex: Int?
        private var schedule = 0.0
        private var lateness: [Double] = []
        private var skipped = 0
        private var maxDecodedFrames = 0
        private var frames = 0

        init(seconds: Double) { self.seconds = seconds }

        func run() {
            guard let data = try? Data(Fixture.data("gif/fire.gif")), let image = Image(data: data, scale: 1)
            else { return print("could not read the animation") }
            // `Image(data:)` decodes frames on demand.
            let loop = g_main_loop_new(nil, 0)
            gtk_window_set_default_size(window.cast(), 400, 300)
            gtk_window_set_child(window.cast(), view.widget)
            view.image = image
            onFrame(of: window) { [unowned self] time in
                frame(at: time)
                guard let first, Double(time - first) / 1e6 > seconds else { return true }
                g_main_loop_quit(loop)
                return false
            }
            gtk_window_present(window.cast())
            g_main_loop_run(loop)
            report()
            gtk_window_destroy(window.cast())
        }

        /// Records the current frame at a frame of the display.
        private func frame(at time: gint64) {
            guard let animator = view.animator, animator.deadline != nil else { return }
            maxDecodedFrames = max(maxDecodedFrames, animator.decodedFrameCount)
            if first != nil { frames += 1 }
            let index = animator.currentFrameIndex
            guard index != shownIndex else { return }
            guard let first, let last = shownIndex else {
                // The start of the second frame is the first start time that is known exactly.
                if shownIndex == nil { shownIndex = index } else { first = time }
                return
            }
            let steps = (index - last + animator.frameCount) % animator.frameCount
            skipped += steps - 1
            for step in 0..<steps { schedule += animator.duration(at: (last + step) % animator.frameCount) }
            lateness.append(Double(time - first) / 1000 - schedule * 1000)
            shownIndex = index
        }

        private func report() {
            // The start of the schedule is unknown, so lateness is relative to the earliest frame.
            let earliest = lateness.min() ?? 0
            print(
                """
                lateness, ms      \(lateness.map { $0 - earliest }.summary)
                frames            \(lateness.count) of the animation, \(skipped) skipped; \(frames) of the display
                decoded frames    \(maxDecodedFrames) kept at most, of \(view.animator?.frameCount ?? 0)
                processor         \(String(format: "%.1f", Usage.processorSeconds)) s in \(seconds) s
                resident          \(Int(Usage.residentMegabytes)) MB
                """)
        }
    }
#endif
