#if GTK
    import AlcedoGTK
    import AlcedoTestSupport
    import CGtk4
    import ExampleWidgets
    import Foundation

    /// Counts the frames of a window while the main queue is busy.
    @MainActor
    final class MainQueueTest {
        private let loop = g_main_loop_new(nil, 0)
        private let window: Widget = gtk_window_new()
        private var frames = 0
        private var longest = Duration.zero
        private var lastFrame = ContinuousClock.now
        private var blocks = 0

        static func run(loads: Int) throws {
            let test = MainQueueTest()
            test.measure("a block that queues itself") { test.queueItself() }
            test.measure("1,000 blocks of 1 ms") { test.queueMany(1000) }
            let data = try Data(Fixture.data("jpeg/testorig.jpg"))
            test.measure("\(loads) loads") { test.load(loads, of: data) }
            gtk_window_destroy(test.window.cast())
        }

        private init() {
            MainQueue.runUnderGLib()
            onFrame(of: window) { [unowned self] _ in
                let now = ContinuousClock.now
                longest = max(longest, now - lastFrame)
                (frames, lastFrame) = (frames + 1, now)
                return true
            }
            gtk_window_present(window.cast())
            while frames < 3 { g_main_context_iteration(nil, 1) }
        }

        private func measure(_ name: String, _ work: () -> Void) {
            (frames, longest, lastFrame, blocks) = (0, .zero, .now, 0)
            let start = ContinuousClock.now
            work()
            g_main_loop_run(loop)
            let times = [ContinuousClock.now - start, longest].map {
                $0.formatted(.units(allowed: [.milliseconds], width: .narrow))
            }
            print("\(name): \(frames) frames in \(times[0]), \(times[1]) apart at most; \(blocks) blocks")
        }

        /// Ends after a second of frames, or without any after as many blocks as take several.
        private func queueItself() {
            blocks += 1
            guard frames < 60, blocks < 1_000_000 else { return g_main_loop_quit(loop) }
            DispatchQueue.main.async { [self] in queueItself() }
        }

        private func queueMany(_ count: Int) {
            for number in 1...count {
                DispatchQueue.main.async { [self] in
                    blocks += 1
                    let end = ContinuousClock.now + .milliseconds(1)
                    while ContinuousClock.now < end {}
                    if number == count { g_main_loop_quit(loop) }
                }
            }
        }

        /// Loads on another thread, so that the main thread has the results only.
        private func load(_ count: Int, of data: Data) {
            let finished: @Sendable () -> Void = {
                MainActor.assumeIsolated { [self] in
                    blocks += 1
                    if blocks == count { g_main_loop_quit(loop) }
                }
            }
            DispatchQueue.global().async {
                for number in 1...count {
                    let provider = RawImageDataProvider(data: data, cacheKey: "main-queue-\(number)")
                    KingfisherManager.shared.retrieveImage(
                        with: .provider(provider), options: [.cacheMemoryOnly]
                    ) { _ in finished() }
                }
            }
        }
    }
#endif
