#if GTK
    import Alcedo
    import AlcedoGTK
    import CGtk4
    import ExampleWidgets
    import Foundation

    /// A photo viewer on `PhotoView`.
    @main
    @MainActor
    enum Viewer {
        /// Also the name of the `.desktop` file and of the icon, which desktops find by the window's.
        static let id = "io.alcedo.viewer"

        static func main() {
            switch Arguments(Arguments.words) {
            case .show(let urls, let screenshot): show(urls, screenshot)
            case .help: print(Arguments.usage, terminator: "")
            case .version: print("alcedo-viewer \(AlcedoVersion.current)")
            case nil: stop(Arguments.usage, code: 2)
            }
        }

        private static func show(_ urls: [URL], _ screenshot: String?) {
            // X11's name of a window is the program's.
            g_set_prgname(id)
            guard gtk_init_check() != 0 else {
                stop("alcedo-viewer: could not open a display; set DISPLAY or WAYLAND_DISPLAY\n")
            }
            setCache()
            let status = GTKApplication(id: id).run { _ in
                g_set_application_name("Alcedo Viewer")
                gtk_window_set_default_icon_name(id)
                applyStyle(".message { padding: 12px 18px; border-radius: 12px; margin: 24px; }")
                let window = ViewerWindow()
                window.open(urls)
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

        /// Keeps pictures of the network in a folder of the program's own, within a limit.
        private static func setCache() {
            let cache = try? ImageCache(name: "viewer", cacheDirectoryURL: nil) { folder, _ in
                folder.appending(path: "alcedo-viewer", directoryHint: .isDirectory)
            }
            guard let cache else { return }
            cache.diskStorage.config.sizeLimit = 512 << 20
            cache.trimsAutomatically = true
            KingfisherManager.shared.cache = cache
        }

        /// Writes a screenshot once the picture is drawn as large as the window, and closes the window.
        private static func write(_ file: String, of window: ViewerWindow) {
            var frames = 0
            onFrame(of: window.widget) { _ in
                frames += window.isLoading ? 0 : 1
                guard frames > 60 else { return true }
                guard window.view.image != nil else { stop("alcedo-viewer: \(window.message.text)\n") }
                guard draw(window.widget, to: file) else {
                    stop("alcedo-viewer: could not write the screenshot to \(file)\n")
                }
                gtk_window_destroy(window.widget.cast())
                return false
            }
        }

        private static func stop(_ message: String, code: Int32 = 1) -> Never {
            FileHandle.standardError.write(Data(message.utf8))
            exit(code)
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
