#if GTK
    import Alcedo
    @testable import AlcedoGTK
    import AlcedoRaster
    import AlcedoTestSupport
    import CGtk4
    import Foundation
    import Testing

    @MainActor
    @Suite(.serialized, .timeLimit(.minutes(10)))
    struct `A photo view` {
        private let bitmap: Bitmap
        private let data: Data

        init() throws {
            try #require(gtk_init_check() != 0, "this test needs a display: scripts/with-display.sh")
            // No pixel is that of another place.
            var builder = try PixelBuilder(size: PixelSize(width: 1600, height: 1200), alpha: .opaque)
            builder.withUnsafeMutableBytes { bytes in
                for pixel in 0..<1600 * 1200 {
                    let (x, y) = (pixel % 1600, pixel / 1600)
                    bytes[pixel * 4] = UInt8(x / 8 & 255)
                    bytes[pixel * 4 + 1] = UInt8(y / 8 & 255)
                    bytes[pixel * 4 + 2] = UInt8((x * 7 + y * 3) & 255)
                    bytes[pixel * 4 + 3] = 255
                }
            }
            bitmap = builder.freeze()
            data = Data(try CodecRegistry.shared.encode(bitmap, as: .png))
        }

        /// A window with a photo view of 400 × 300 points.
        private func window(_ view: PhotoView) throws -> Window {
            gtk_widget_set_size_request(view.widget, 400, 300)
            return try Window {
                ImageView()
            } container: { _ in
                view.widget
            }
        }

        private func cut(_ x: Int, _ y: Int) throws -> [UInt8] {
            try bitmap.cropped(x: x, y: y, width: 400, height: 300).bytes
        }

        @Test func `a photo view shows all of a picture, then its very pixels where the pointer is`()
            async throws
        {
            let view = PhotoView()
            let window = try window(view)
            view.show(try Image(decoding: data))
            let fitted = try bitmap.resized(to: PixelSize(width: 400, height: 300)).bytes
            try await window.run { try window.drawn(view.widget)?.pixels == fitted }
            #expect(view.isFit && view.zoom == 0.25)

            view.zoomToPixels(about: .zero)
            try await window.run { try window.drawn(view.widget)?.pixels == cut(0, 0) }
            view.pan(by: -700, -500)
            try await window.run { try window.drawn(view.widget)?.pixels == cut(700, 500) }
            #expect(view.zoom == 1 && !view.isFit)
            view.zoom(by: 0.5, about: CGPoint(x: 0, y: 0))
            let half = try bitmap.resized(to: PixelSize(width: 800, height: 600))
                .cropped(x: 350, y: 250, width: 400, height: 300).bytes
            try await window.run {
                let pixels = try window.drawn(view.widget)?.pixels ?? []
                return pixels.count == half.count && difference(pixels, half) < 3
            }
            view.zoomToFit()
            try await window.run { try window.drawn(view.widget)?.pixels == fitted }
        }

        private func difference(_ left: [UInt8], _ right: [UInt8]) -> Double {
            zip(left, right).reduce(0) { $0 + Double(abs(Int($1.0) - Int($1.1))) } / Double(left.count)
        }

        @Test func `a photo view never decodes a whole picture that exceeds the limits`() async throws {
            let view = PhotoView()
            let window = try window(view)
            let url = URL.temporaryDirectory.appending(path: "\(UUID()).png")
            try data.write(to: url)
            defer { try? FileManager.default.removeItem(at: url) }
            let limits = DecodeLimits { $0.pixelsPerFrame = 900 * 700 }
            var failures: [any Error] = []
            view.loaded = { if case .failure(let error) = $0 { failures.append(error) } }
            view.show(url, options: [.decodeLimits(limits)])
            let fitted = try bitmap.resized(to: PixelSize(width: 400, height: 300)).bytes
            // Its rows are averaged before they are resized.
            try await window.run {
                let pixels = try window.drawn(view.widget)?.pixels ?? []
                return !failures.isEmpty || pixels.count == fitted.count && difference(pixels, fitted) < 8
            } state: {
                "\(failures)"
            }
            view.zoomToPixels(about: CGPoint(x: 399, y: 299))
            // The corner of the picture, as large as it is with a margin.
            view.pan(by: -2000, -2000)
            try await window.run { try window.drawn(view.widget)?.pixels == cut(1200, 900) }
            // What is visible with a margin has more pixels than the limit. The difference is 0.54 without the margin, and
            // 1.23 with it, from half as many rows and columns.
            view.pan(by: 400, 300)
            view.zoom(by: 0.625)
            let part = try bitmap.cropped(x: 680, y: 510, width: 640, height: 480)
                .resized(to: PixelSize(width: 400, height: 300)).bytes
            try await window.run {
                let pixels = try window.drawn(view.widget)?.pixels ?? []
                return !failures.isEmpty || pixels.count == part.count && difference(pixels, part) < 0.9
            } state: {
                "\(failures)"
            }
            #expect(view.image?.decodedBitmap == nil)
            #expect(failures.isEmpty)
        }

        @Test func `a photo view shows the desktop's thumbnail of a file that is not decoded`() async throws {
            let file = URL.temporaryDirectory.appending(path: "\(UUID()).png")
            try Sample.plain(400, 300, 200, 10, 20).data(as: .png).write(to: file)
            defer { try? FileManager.default.removeItem(at: file) }
            _ = try await DesktopThumbnailImageDataProvider(fileURL: file, size: .normal).data()
            defer { removeThumbnail(of: file) }
            let view = PhotoView()
            let window = try window(view)
            // Enough for the thumbnail only.
            let limits = DecodeLimits { $0.pixelsPerFrame = 128 * 96 }
            view.show(file, options: [.decodeLimits(limits)])
            try await window.run {
                let pixels = try window.drawn(view.widget)?.pixels ?? []
                let middle = (150 * 400 + 200) * 4
                return pixels.count == 400 * 300 * 4
                    && Array(pixels[middle..<middle + 4]) == [200, 10, 20, 255]
            }
        }

        private func removeThumbnail(of file: URL) {
            let caches = FileManager.default.urls(for: .cachesDirectory, in: .userDomainMask).first
            guard let caches, let name = md5Hex("file://\(file.path)") else { return }
            try? FileManager.default.removeItem(at: caches.appending(path: "thumbnails/normal/\(name).png"))
        }

        @Test func `a photo view has the next picture ready`() async throws {
            let view = PhotoView()
            let window = try window(view)
            let folder = URL.temporaryDirectory.appending(path: "\(UUID())")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            let urls = ["a.png", "b.png"].map { folder.appending(path: $0) }
            for url in urls { try data.write(to: url) }
            var shown: [Image] = []
            view.loaded = { if case .success(let image) = $0 { shown.append(image) } }
            view.show(urls[0], prefetching: [urls[1]])
            try await window.run { shown.count == 1 && view.isReady(urls[1]) }
            view.show(urls[1], prefetching: [urls[0]])
            // At once, without a load.
            #expect(shown.count == 2 && view.image === shown[1])
        }

        @Test func `a photo view loads the next picture after the one that is shown`() async throws {
            let loading = try ViewLoading()
            let gate = Gate()
            let image = try Image(decoding: data)
            let url = loading.serve(image, at: "/a", until: gate)
            let next = loading.serve(image, at: "/b")
            let view = PhotoView()
            let window = try window(view)
            view.show(url, prefetching: [next], options: loading.options)
            try await window.run { loading.server.requestCount(path: "/a") == 1 }
            #expect(!view.isPrefetched(next))
            gate.open()
            try await window.run { view.isReady(next) }
            #expect(view.image != nil)
        }

        @Test func `a photo view reports what it cannot load`() async throws {
            let view = PhotoView()
            let window = try window(view)
            var failures = 0
            view.loaded = { if case .failure = $0 { failures += 1 } }
            view.show(URL.temporaryDirectory.appending(path: "none-\(UUID()).jpg"))
            try await window.run { failures == 1 }
            #expect(view.image == nil)
        }

        @Test func `a photo view is zoomed by keys, a double click, the wheel and a pinch`() async throws {
            let view = PhotoView()
            let window = try window(view)
            view.show(try Image(decoding: data))
            try await window.run { try window.drawn(view.widget) != nil && view.image != nil }
            func press(_ trigger: String) throws {
                let key = try #require(PhotoKey.all.first { $0.trigger.contains(trigger) })
                key.action(view)
            }
            try press("1")
            #expect(view.zoom == 1)
            try press("plus")
            #expect(view.zoom == 1.25)
            try press("minus")
            #expect(view.zoom == 1)
            try press("0")
            #expect(view.isFit)
            let input = PhotoInput(view)
            input.press(1, at: .zero)
            #expect(view.isFit)
            input.press(2, at: .zero)
            #expect(view.zoom == 1)
            input.press(2, at: .zero)
            #expect(view.isFit)
            input.pointer = CGPoint(x: 10, y: 10)
            input.scroll(0, -1, zooms: true, isWheel: true)
            #expect(view.zoom == 0.25 * 1.25)
            input.startPinch()
            input.pinch(to: 2, about: CGPoint(x: 10, y: 10))
            #expect(view.zoom == 0.25 * 1.25 * 2)
        }

        @Test func `a photo view lives as long as its widget, and no longer`() async throws {
            weak var view: PhotoView?
            var window: Window?
            do {
                let made = PhotoView()
                view = made
                window = try self.window(made)
                made.show(try Image(decoding: data))
                made.zoomToPixels()
            }
            try await window?.run { view?.image != nil }
            window?.close()
            try await window?.run { view == nil }
        }

        @Test func `what the blocks of a photo view have is released on the main thread`() async {
            let released = Recorder<Bool>()
            let view = Unmanaged.passRetained(PhotoView())
            // A scope of its own, so that only the view has the blocks.
            do {
                let captured = Captured { released.append(isOnMain) }
                view.takeUnretainedValue().loaded = { _ in withExtendedLifetime(captured) {} }
            }
            let address = UInt(bitPattern: view.toOpaque())
            await Task.detached {
                guard let pointer = UnsafeRawPointer(bitPattern: address) else { return }
                Unmanaged<PhotoView>.fromOpaque(pointer).release()
            }.value
            #expect(await released.waitFor(count: 1) == [true])
        }
    }

    /// Calls a block when it is released.
    private final class Captured: Sendable {
        private let end: @Sendable () -> Void

        init(_ end: @escaping @Sendable () -> Void) { self.end = end }

        deinit { end() }
    }
#endif
