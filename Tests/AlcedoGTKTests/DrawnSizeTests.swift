#if GTK
    @testable import AlcedoGTK
    import AlcedoRaster
    import AlcedoTestSupport
    import CGtk4
    import Foundation
    import Testing

    @MainActor
    @Suite(.serialized, .timeLimit(.minutes(10)))
    struct `The pixels that a view draws` {
        private let loading: ViewLoading
        private let results = Recorder<ViewResult>()

        init() throws {
            try #require(gtk_init_check() != 0, "this test needs a display: scripts/with-display.sh")
            loading = try ViewLoading()
        }

        /// A picture with detail that a coarse reduction shows as other detail.
        private func detailed(_ width: Int, _ height: Int) throws -> Bitmap {
            var builder = try PixelBuilder(size: PixelSize(width: width, height: height), alpha: .opaque)
            builder.withUnsafeMutableBytes { bytes in
                for pixel in 0..<width * height {
                    let (x, y) = (Double(pixel % width), Double(pixel / width))
                    let ring = 127 + 120 * cos((x * x + y * y) / Double(width))
                    for channel in 0..<3 { bytes[pixel * 4 + channel] = UInt8(ring) }
                    bytes[pixel * 4 + 3] = 255
                }
            }
            return builder.freeze()
        }

        private func fill(_ view: ImageView) {
            gtk_widget_set_halign(view.widget, GTK_ALIGN_FILL)
            gtk_widget_set_valign(view.widget, GTK_ALIGN_FILL)
        }

        private func texture(of view: ImageView) -> (width: Int, height: Int)? {
            guard let surface = view.surface as? WidgetSurface,
                let paintable = gtk_picture_get_paintable(OpaquePointer(surface.content)),
                let texture = gdk_paintable_get_current_image(paintable)
            else { return nil }
            defer { g_object_unref(UnsafeMutableRawPointer(texture)) }
            let width = gdk_paintable_get_intrinsic_width(texture)
            return (Int(width), Int(gdk_paintable_get_intrinsic_height(texture)))
        }

        @Test(arguments: [false, true])
        func `a view draws the pixels of an exact reduction at each size of the window`(isDecoded: Bool)
            async throws
        {
            let picture = try detailed(480, 360)
            let image =
                isDecoded
                ? Image(bitmap: picture)
                : try Image(decoding: try #require(Image(bitmap: picture).kf.pngRepresentation()))
            let window = try Window { ImageView() }
            fill(window.view)
            window.view.image = image
            for (width, height) in [(480, 360), (120, 90), (400, 60), (60, 300), (240, 180)] {
                window.resize(width, height)
                let drawnWidth = min(width, height * 4 / 3)
                let size = PixelSize(width: drawnWidth, height: drawnWidth * 3 / 4)
                let wanted = try picture.resized(to: size).bytes
                try await window.run {
                    guard let drawn = try window.drawn(), drawn.width == width, drawn.height == height else {
                        return false
                    }
                    let (left, top) = ((width - size.width) / 2, (height - size.height) / 2)
                    return (0..<size.height).allSatisfy { row in
                        let start = ((top + row) * width + left) * 4
                        return drawn.pixels[start..<start + size.width * 4]
                            .elementsEqual(wanted[row * size.width * 4..<(row + 1) * size.width * 4])
                    }
                }
            }
        }

        @Test(
            arguments: [
                (.scaleAspectFit, 100, 25), (.scaleAspectFill, 400, 100), (.scaleToFill, 100, 100),
            ] as [(KFCrossPlatformView.ContentMode, Int, Int)])
        func `a view draws as many pixels as the content mode shows`(
            mode: KFCrossPlatformView.ContentMode, width: Int, height: Int
        ) async throws {
            let data = try #require(Image(bitmap: try detailed(800, 200)).kf.pngRepresentation())
            let window = try Window { ImageView() }
            fill(window.view)
            window.resize(100, 100)
            window.view.contentMode = mode
            window.view.image = try Image(decoding: data)
            try await window.run {
                _ = try window.drawn()
                return texture(of: window.view).map { $0 == (width, height) } ?? false
            }
        }

        @Test(arguments: [false, true])
        func `no more than a view draws is decoded, before layout too, from disk and from memory`(
            isInMemory: Bool
        )
            async throws
        {
            let url = loading.serve(Image(bitmap: try detailed(800, 600)), at: "/a")
            let cache = try #require(KingfisherParsedOptionsInfo(loading.options).targetCache)
            let data = try #require(Image(bitmap: try detailed(800, 600)).kf.pngRepresentation())
            let stored = try Image(decoding: data)
            try await cache.store(stored, original: data, forKey: url.cacheKey)
            if !isInMemory { cache.clearMemoryCache() }
            // The disk is read before the window has its first frame.
            let view = loading.image(url, results).resizable().loadDiskFileSynchronously().makeView()
            let window = try Window { view }
            fill(view)
            try await window.run { results.count == 1 }
            try await window.run {
                _ = try window.drawn()
                return texture(of: view).map { $0 == (200, 150) } ?? false
            }
            #expect(view.image?.decodedBitmap == nil)
            #expect(loading.server.requestCount() == 0)
        }

        @Test func `a view draws the image's own size where nothing else says how large the view is`()
            async throws
        {
            let bitmap = try detailed(60, 40)
            let url = loading.serve(Image(bitmap: bitmap), at: "/a")
            let window = try Window { loading.image(url, results).makeView() }
            try await window.run { results.count == 1 }
            #expect(try window.drawn()?.pixels == bitmap.bytes, "the load ends when it is decoded")
        }

        @Test func `a button's background is decoded at the size of the button`() async throws {
            let url = loading.serve(Image(bitmap: try detailed(800, 600)), at: "/a")
            let button = Button()
            let window = try Window({ ImageView() }, container: { _ in button.widget })
            gtk_widget_set_halign(button.widget, GTK_ALIGN_FILL)
            gtk_widget_set_valign(button.widget, GTK_ALIGN_FILL)
            button.kf.setBackgroundImage(
                with: Source.network(url), for: .normal, options: loading.options,
                completionHandler: { [results] in results.append($0) })
            try await window.run { results.count == 1 }
            let image = try results.values[0].get().image
            #expect(image === button.backgroundImage(for: .normal) && image.decodedBitmap == nil)
            #expect((image.pixels(drawnAt: PixelSize(width: 1, height: 1))?.width ?? 800) < 800)
        }

        @Test func `a view loads a damaged image from disk again, before layout too`() async throws {
            let url = loading.serve(Image(bitmap: try detailed(60, 40)), at: "/a")
            let cache = try #require(KingfisherParsedOptionsInfo(loading.options).targetCache)
            var data = try #require(Image(bitmap: try detailed(60, 40)).kf.pngRepresentation())
            data.replaceSubrange(100..<200, with: Data(count: 100))
            try await cache.store(try Image(decoding: data), original: data, forKey: url.cacheKey)
            cache.clearMemoryCache()
            let view = loading.image(url, results).resizable().loadDiskFileSynchronously().makeView()
            let window = try Window { view }
            fill(view)
            try await window.run { results.count == 1 }
            #expect(try results.values[0].get().cacheType == .none)
            #expect(loading.server.requestCount() == 1)
        }

        @Test func `the pixels that a view draws are not decoded while the view is invisible`() async throws {
            let url = loading.serve(Image(bitmap: try detailed(60, 40)), at: "/a")
            let view = loading.image(url, results).resizable().startLoadingBeforeViewAppear().makeView()
            await results.waitFor(count: 1)
            let image = try #require(view.image)
            #expect(
                image.decodedBitmap == nil && image.pixels(drawnAt: PixelSize(width: 1, height: 1)) == nil)
        }

        @Test func `the pixels that a view draws follow the display's scale`() async throws {
            let window = try Window { ImageView() }
            let paintable = ImagePaintable()
            var scale: CGFloat = 1
            paintable.displaySize = { (CGSize(width: 40, height: 40), scale) }
            paintable.show(
                try Image(decoding: #require(Image(bitmap: detailed(200, 100)).kf.pngRepresentation())))
            for (next, width) in [(1, 40), (2, 80), (1.5, 60)] as [(CGFloat, Int)] {
                scale = next
                _ = try window.pixels(of: paintable.handle, width: 40, height: 20)
                try await window.run {
                    paintable.texture.map { Int(gdk_texture_get_width($0.handle)) == width } ?? false
                }
            }
        }
    }

    @MainActor
    @Suite(.serialized, .timeLimit(.minutes(10)))
    struct `The frames of an animation in a view` {
        /// 400 × 100 pixels.
        private func animation() throws -> Image {
            let frames = try (0..<3).map { try Sample.plain(400, 100, UInt8($0 * 80), 0, 0) }
            let gif = try #require(Image.animatedImage(with: frames, duration: 3)?.kf.gifRepresentation())
            return try Image(decoding: gif)
        }

        @Test(
            arguments: [
                (.scaleAspectFit, 100), (.scaleAspectFill, 400), (.scaleToFill, 400),
            ] as [(KFCrossPlatformView.ContentMode, Int)])
        func `an animation's frames have the size of the content mode, and follow the view's size`(
            mode: KFCrossPlatformView.ContentMode, width: Int
        ) async throws {
            let clock = ManualClock()
            let window = try Window {
                let view = AnimatedImageView()
                view.clock = clock
                return view
            }
            let view = try #require(window.view as? AnimatedImageView)
            gtk_widget_set_halign(view.widget, GTK_ALIGN_FILL)
            gtk_widget_set_valign(view.widget, GTK_ALIGN_FILL)
            window.resize(100, 100)
            view.contentMode = mode
            view.image = try animation()
            try await window.run {
                _ = try window.drawn()
                return view.animator?.currentFrameImage?.pixelSize.width == width
            }
            window.resize(200, 200)
            try await window.run {
                _ = try window.drawn()
                return view.animator?.currentFrameImage?.pixelSize.width == min(400, width * 2)
            }
            #expect(view.animator?.currentFrameImage?.size == CGSize(width: 400, height: 100))
        }
    }
#endif
