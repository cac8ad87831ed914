#if GTK
    import AlcedoGTK
    import CGtk4
    import ExampleWidgets
    import Foundation

    /// Scrolls the grid from end to end at a constant speed, and measures the cost.
    @MainActor
    final class ScrollTest {
        private let window: GalleryWindow
        private let seconds: Double
        private let expected: ExpectedImages
        private var start: gint64?
        private var lastFrame: gint64?
        private var intervals: [Double] = []
        private var workTimes: [Double] = []
        private var processorTimes: [Double] = []
        private var memory: [Double] = []
        private var checked = 0
        private var wrong: [String] = []
        private var unloaded = 0
        private var processorAtStart = 0.0
        private var isSettling = false

        init(window: GalleryWindow, folder: URL, seconds: Double) {
            self.window = window
            self.seconds = seconds
            expected = ExpectedImages(
                folder: folder, scale: CGFloat(gtk_widget_get_scale_factor(window.widget)))
            expected.make(for: window.grid.photos)
            MainLoopProfiler.start()
            onFrame(of: window.widget) { [weak self] time in self?.frame(at: time) ?? false }
        }

        private func frame(at time: gint64) -> Bool {
            let adjustment = window.grid.adjustment
            let end = gtk_adjustment_get_upper(adjustment) - gtk_adjustment_get_page_size(adjustment)
            guard end > 0 else { return true }
            guard let start, let lastFrame else { return startScrolling(at: time) }
            if !isSettling {
                let frame = MainLoopProfiler.takeWorkTime()
                workTimes.append(frame.wall)
                processorTimes.append(frame.processor)
                intervals.append(Double(time - lastFrame) / 1000)
            }
            self.lastFrame = time
            let elapsed = Double(time - start) / 1e6
            if elapsed > seconds {
                // Waits 5 s for the loads of the last screen.
                isSettling = true
                guard elapsed > seconds + 5 else { return true }
                finish()
                return false
            }
            // The last frame has laid out the cells.
            if intervals.count % 30 == 0 {
                check()
                MainLoopProfiler.restartIteration()
            }
            gtk_adjustment_set_value(adjustment, end * elapsed / seconds)
            if Double(memory.count) / 20 * seconds <= elapsed { memory.append(Usage.residentMegabytes) }
            return true
        }

        private func startScrolling(at time: gint64) -> Bool {
            start = time
            lastFrame = time
            processorAtStart = Usage.processorSeconds
            _ = MainLoopProfiler.takeWorkTime()
            return true
        }

        /// Compares the visible images with the expected ones.
        private func check() {
            for cell in window.grid.visibleCells {
                guard let photo = cell.photo, cell.isLoaded, let image = cell.view.image else {
                    unloaded += 1
                    continue
                }
                checked += 1
                if !expected.matches(image, photo) { wrong.append(photo.title) }
            }
        }

        private func finish() {
            memory.append(Usage.residentMegabytes)
            let before = (checked, unloaded)
            check()
            print(
                "last screen       \(checked - before.0) images of",
                checked + unloaded - before.0 - before.1)
            gtk_window_destroy(window.widget.cast())
        }

        func report() {
            let counter = LoadCounter.shared
            let origins = [CacheType.none, .disk, .memory].map { "\(counter.counts[$0] ?? 0) \($0.name)" }
            let iterations = MainLoopProfiler.iterations
            print(
                """
                main loop, ms     per frame \(workTimes.summary)
                                  processor time \(processorTimes.summary)
                                  per iteration \(iterations.summary)
                frames            \(intervals.count) in \(seconds) s; interval, ms: \(intervals.summary)
                resident, MB      \(memory.map { "\(Int($0))" }.joined(separator: " "))
                processor         \(String(format: "%.1f", Usage.processorSeconds - processorAtStart)) s
                images            \(window.grid.photos.count) cells: \(origins.joined(separator: ", ")), \
                \(counter.cancelled) cancelled, \(counter.failures.count) failed
                checked           \(checked) loaded cells, \(unloaded) not loaded yet, \(wrong.count) wrong \
                \(wrong.prefix(3))
                """)
            for error in counter.failures.prefix(3) { print(error) }
        }
    }
#endif
