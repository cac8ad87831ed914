#if GTK
    import AlcedoGTK
    import CGtk4
    import ExampleWidgets
    import Foundation

    /// A photo viewer on `PhotoView`.
    @main
    @MainActor
    enum Viewer {
        static func main() {
            var words = Array(CommandLine.arguments.dropFirst())
            var screenshot: String?
            if words.first == "--screenshot", words.count > 2 {
                screenshot = words[1]
                words.removeFirst(2)
            }
            guard !words.contains(where: { $0.hasPrefix("--") }) else {
                print("usage: Viewer [--screenshot FILE] [FILE, FOLDER or URL…]")
                exit(2)
            }
            let status = GTKApplication(id: "io.alcedo.viewer").run { _ in
                g_set_application_name("Alcedo Viewer")
                applyStyle(".message { padding: 12px 18px; border-radius: 12px; margin: 24px; }")
                let window = ViewerWindow()
                window.open(words.map(address))
                // The program runs as long as it has a window.
                gtk_window_set_application(window.widget.cast(), running)
                gtk_window_present(window.widget.cast())
                if let screenshot { write(screenshot, of: window) }
            }
            exit(status)
        }

        private static var running: UnsafeMutablePointer<GtkApplication>? {
            UnsafeMutableRawPointer(g_application_get_default())?.assumingMemoryBound(to: GtkApplication.self)
        }

        /// The address that a word of the command line stands for.
        private static func address(_ word: String) -> URL {
            if let url = URL(string: word), let scheme = url.scheme, scheme.count > 1 { return url }
            return URL(fileURLWithPath: word)
        }

        /// Writes a screenshot once the picture is drawn as large as the window, and closes the window.
        private static func write(_ file: String, of window: ViewerWindow) {
            var frames = 0
            onFrame(of: window.widget) { _ in
                frames += window.isLoading ? 0 : 1
                guard frames > 60, draw(window.widget, to: file) else { return true }
                gtk_window_destroy(window.widget.cast())
                return false
            }
        }
    }
#else
    @main
    enum Viewer {
        static func main() {
            print("The viewer needs the trait GTK: swift run --traits GTK Viewer")
        }
    }
#endif
