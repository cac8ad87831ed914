#if GTK
    import AlcedoGTK
    import CGtk4
    import ExampleWidgets
    import Foundation

    /// A gallery of a few thousand images.
    @main
    @MainActor
    enum Gallery {
        /// Samples, caches and measurements: in the source folder's `build`, or in the user's caches if installed.
        private static let folder: URL = {
            let caches = FileManager.default.urls(for: .cachesDirectory, in: .userDomainMask).first
            guard let caches, !FileManager.default.fileExists(atPath: "Package.swift") else {
                return URL(fileURLWithPath: "build/demo", isDirectory: true)
            }
            return caches.appending(path: "alcedo-gallery", directoryHint: .isDirectory)
        }()
        private static let sampleCount = 5000

        static func main() throws {
            guard let arguments = Arguments(Array(CommandLine.arguments.dropFirst())) else {
                stop(Arguments.usage, code: 2)
            }
            guard gtk_init_check() != 0 else {
                stop("gallery: could not open a display; set DISPLAY or WAYLAND_DISPLAY\n")
            }
            // For screen readers and window lists.
            g_set_application_name("Alcedo gallery")
            Style.apply()
            switch arguments.mode {
            case .show(let urls):
                let server = urls.isEmpty ? try sampleServer() : nil
                let cache = try cache(named: "gallery")
                let photos = server?.photos ?? urls.map(Photo.init)
                let window = GalleryWindow(photos: photos, cache: cache, server: server)
                run(window)
                withExtendedLifetime(server) {}
            case .scrollTest(let seconds):
                let server = try sampleServer()
                try server.drawAll()
                let cache = try emptyCache()
                let window = GalleryWindow(photos: server.photos, cache: cache, server: server)
                let test = ScrollTest(window: window, folder: folder, seconds: seconds)
                run(window)
                test.report()
                withExtendedLifetime(server) {}
            case .animate(let seconds):
                AnimationTest(seconds: seconds).run()
            case .hiddenAnimations(let count):
                try HiddenAnimations.run(count: count, seconds: 5)
            case .mainQueue(let loads): try MainQueueTest.run(loads: loads)
            case .firstPicture(let file):
                exit(FirstPicture.show(file) ? 0 : 1)
            case .screenshot(let file, let page, let width):
                guard let page = GalleryWindow.Page(rawValue: page) else { stop(Arguments.usage, code: 2) }
                let server = try sampleServer()
                let cache = try emptyCache()
                let window = GalleryWindow(photos: server.photos, cache: cache, server: server)
                if let width { gtk_window_set_default_size(window.widget.cast(), width, 800) }
                if window.tilePage(page) == nil { try server.drawAll() }
                let screenshot = Screenshot(of: page, in: window, photos: server.photos, file: file)
                run(window)
                guard screenshot.isWritten else {
                    stop("gallery: could not write the screenshot to \(file)\n")
                }
                withExtendedLifetime((server, screenshot)) {}
            }
        }

        /// Runs the main loop until the window is closed.
        private static func run(_ window: GalleryWindow) {
            let loop = g_main_loop_new(nil, 0)
            onSignal("destroy", of: window.widget) { g_main_loop_quit(loop) }
            window.present()
            g_main_loop_run(loop)
            g_main_loop_unref(loop)
        }

        private static func sampleServer() throws -> SampleServer {
            try SampleServer(count: sampleCount, folder: folder)
        }

        /// A cache with limits for the gallery's images.
        private static func cache(named name: String) throws -> ImageCache {
            let cache = try ImageCache(name: name, cacheDirectoryURL: folder)
            cache.memoryStorage.config.totalCostLimit = 96 << 20
            cache.diskStorage.config.sizeLimit = 512 << 20
            KingfisherManager.shared.cache = cache
            return cache
        }

        /// An empty cache, so measurements are comparable.
        private static func emptyCache() throws -> ImageCache {
            let cache = try cache(named: "gallery-test")
            try cache.diskStorage.removeAll()
            return cache
        }

        private static func stop(_ message: String, code: Int32 = 1) -> Never {
            FileHandle.standardError.write(Data(message.utf8))
            exit(code)
        }
    }
#else
    @main
    enum Gallery {
        static func main() {
            print("The gallery needs the trait GTK: swift run --traits GTK Gallery")
        }
    }
#endif
