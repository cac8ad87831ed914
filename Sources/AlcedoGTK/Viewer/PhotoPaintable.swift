#if GTK
    import Alcedo
    import CGtk4
    import Foundation

    /// Draws a picture at the size and place of a viewport: one bitmap of all of it, and where that has too few pixels one of the
    /// visible part.
    ///
    /// The part is decoded with a margin, as one: to decode what is stored last of a JPEG takes as long for a few pixels as for many.
    @MainActor
    final class PhotoPaintable: PaintableContent {
        private struct Part {
            let screen: ScreenBitmap
            let frame: CGRect
            let pixels: Double
        }

        private struct Job {
            let task: Task<Void, Never>
            let frame: CGRect
            /// Pixels of the screen for each pixel of the picture.
            let pixels: Double
        }

        /// The `GdkPaintable`; valid for the lifetime of this object.
        let handle: OpaquePointer

        private(set) var viewport = PhotoViewport()

        /// Whether it is moved by a callback of the widget.
        var isGliding = false

        /// The surface that draws it.
        weak var surface: WidgetSurface?

        /// Called after the viewport has changed, also while it is drawn.
        var viewportChanged: () -> Void = {}

        /// Called if the image cannot be decoded.
        var decodingFailed: (any Error) -> Void = { _ in }

        private(set) var image: Image?
        private var reader: ImageRegionReader?
        private var base: ScreenBitmap?
        private var requestedBase: PixelSize?
        private var isDecodingBase = false
        private var part: Part?
        private var job: Job?
        private var hasFailed = false

        /// The number of images that were shown; bitmaps of earlier ones are ignored.
        private var shown = 0

        /// A margin on each side, as a share of the view, that is decoded beyond what is visible.
        private static let margin = 0.25

        override init() {
            handle = PaintableType.makeInstance()
            super.init()
            PaintableType.setOwner(self, of: handle)
        }

        isolated deinit {
            job?.task.cancel()
            PaintableType.setOwner(nil, of: handle)
            g_object_unref(UnsafeMutableRawPointer(handle))
        }

        override var texture: Texture? { base?.texture }

        func change(_ body: (inout PhotoViewport) -> Void) {
            let before = viewport
            body(&viewport)
            guard viewport != before else { return }
            gdk_paintable_invalidate_contents(handle)
            viewportChanged()
        }

        /// Shows an image, or nothing; one whose preview is shown keeps its place.
        ///
        /// Until it is decoded, shows the camera's thumbnail in it, or the desktop's of its file.
        func show(_ image: Image?, of file: URL? = nil) {
            let hasPreview = image != nil && self.image == nil && base != nil
            reset(to: image)
            change { viewport in
                viewport.picture = image.map { CGSize($0.pixelSize) } ?? .zero
                if !hasPreview { viewport.showAll() }
            }
            if !hasPreview { base = nil }
            guard let image, !hasPreview else { return }
            Task { [weak self, shown] in
                var bitmap = await image.thumbnailFromWorker()
                if bitmap == nil, let file { bitmap = await Self.desktopThumbnail(of: file, for: image) }
                guard let bitmap, let self, shown == self.shown, base == nil else { return }
                base = ScreenBitmap.shared(of: bitmap)
                gdk_paintable_invalidate_contents(handle)
            }
        }

        private static func desktopThumbnail(of file: URL, for image: Image) async -> Bitmap? {
            await withCheckedContinuation { continuation in
                DesktopThumbnailImageDataProvider.find(of: file, limits: image.limits) { thumbnail in
                    continuation.resume(returning: try? thumbnail?.bitmap())
                }
            }
        }

        /// Shows what has arrived of an image that follows.
        func show(preview: Image) {
            guard let bitmap = preview.pixels(drawnAt: nil) else { return }
            if image != nil { reset(to: nil) }
            base = ScreenBitmap.shared(of: bitmap)
            change { $0.picture = CGSize(preview.pixelSize) }
            gdk_paintable_invalidate_contents(handle)
        }

        private func reset(to image: Image?) {
            shown += 1
            stop()
            (self.image, reader) = (image, image.flatMap { ImageRegionReader($0) })
            (requestedBase, isDecodingBase, hasFailed) = (nil, false, false)
            gdk_paintable_invalidate_contents(handle)
        }

        /// Frees the visible part and cancels its decoding: the view is invisible.
        func stop() {
            job?.task.cancel()
            (job, part) = (nil, nil)
        }

        // MARK: - Decoding

        private func decodeIfNeeded() {
            guard let image, !hasFailed, !viewport.isEmpty else { return }
            decodeBase(image)
            if let reader { decodePart(reader) }
        }

        private func decodeBase(_ image: Image) {
            guard let size = viewport.fittedPixels else { return }
            let wanted = image.decodedSize(drawnAt: size)
            guard !isDecodingBase, wanted != requestedBase else { return }
            requestedBase = wanted
            if let bitmap = image.pixels(drawnAt: size), bitmap.size == wanted {
                return base = ScreenBitmap.shared(of: bitmap)
            }
            isDecodingBase = true
            image.tryDecoding(drawnAt: size) { [weak self, shown] result in
                guard let self, shown == self.shown else { return }
                isDecodingBase = false
                switch result {
                case .success(let bitmap): base = ScreenBitmap.shared(of: bitmap)
                case .failure(let error): fail(error)
                }
                gdk_paintable_invalidate_contents(handle)
            }
        }

        private func decodePart(_ reader: ImageRegionReader) {
            // What is drawn at fit needs no more than the base, which may still be decoded.
            guard !viewport.isFit, base.map({ Double($0.size.width) < viewport.picture.width }) ?? true else {
                return stop()
            }
            let (visible, pixels) = (viewport.visible(), min(1, viewport.pixels))
            if let part, part.frame.contains(visible), abs(part.pixels / pixels - 1) < 0.001 { return }
            if let job {
                // Decoding of a whole picture cannot be stopped: one for each step of a pinch would take all threads.
                let mayEnd = abs(job.pixels / pixels - 1) < 0.001 || !reader.endsWhenCancelled
                if mayEnd, job.frame.intersects(visible) { return }
                job.task.cancel()
            }
            let wide = viewport.visible(margin: Self.margin)
            let frame = reader.hasFewPixels(wide, drawnAt: pixels) ? wide : visible
            let task = Task { [weak self, shown] in
                do {
                    let region = try await reader.decode(frame, drawnAt: pixels)
                    guard let self, shown == self.shown, !Task.isCancelled else { return }
                    finish(region, pixels)
                } catch {
                    guard let self, shown == self.shown, !Task.isCancelled else { return }
                    fail(error)
                }
            }
            job = Job(task: task, frame: frame, pixels: pixels)
        }

        private func finish(_ region: ImageRegionReader.Region, _ pixels: Double) {
            job = nil
            part = ScreenBitmap.shared(of: region.bitmap).map {
                Part(screen: $0, frame: region.frame, pixels: pixels)
            }
            gdk_paintable_invalidate_contents(handle)
        }

        /// Decodes no more of the image.
        private func fail(_ error: any Error) {
            (job, hasFailed) = (nil, true)
            decodingFailed(error)
        }

        // MARK: - Drawing

        override func draw(on snapshot: OpaquePointer, width: Double, height: Double) {
            let before = viewport
            viewport.view = CGSize(width: width, height: height)
            viewport.scale = Double(surface?.scale ?? 1)
            if viewport != before { viewportChanged() }
            guard !viewport.isEmpty else { return }
            decodeIfNeeded()
            var bounds = rect(CGRect(origin: .zero, size: viewport.view))
            gtk_snapshot_push_clip(snapshot, &bounds)
            let covers = part?.frame.contains(viewport.visible()) ?? false
            if !covers { append(base, to: snapshot, in: baseFrame) }
            // A part in front of what it shows makes translucent pixels denser.
            if let part, covers || part.screen.isOpaque {
                append(part.screen, to: snapshot, in: viewport.place(of: part.frame))
            }
            gtk_snapshot_pop(snapshot)
        }

        /// Where the base is drawn: as large as it is if it was decoded for that.
        private var baseFrame: CGRect {
            var frame = viewport.frame
            if viewport.isFit, let base, base.size == requestedBase {
                frame.size = base.size.points(scale: viewport.scale)
            }
            return frame
        }

        private func append(_ screen: ScreenBitmap?, to snapshot: OpaquePointer, in frame: CGRect) {
            guard let screen else { return }
            var rect = rect(frame)
            if surface?.usesCairoRenderer == true {
                screen.pixels.draw(on: snapshot, in: rect)
            } else {
                gtk_snapshot_append_texture(snapshot, screen.texture.handle, &rect)
            }
        }

        private func rect(_ frame: CGRect) -> graphene_rect_t {
            graphene_rect_t(
                origin: graphene_point_t(x: Float(frame.minX), y: Float(frame.minY)),
                size: graphene_size_t(width: Float(frame.width), height: Float(frame.height)))
        }
    }

    extension CGSize {
        fileprivate init(_ size: PixelSize) { self.init(width: size.width, height: size.height) }
    }
#endif
