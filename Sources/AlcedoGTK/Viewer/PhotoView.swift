#if GTK
    public import Alcedo
    import CGtk4
    public import Foundation

    /// A photograph that users zoom and move, at any size: it shows the pixels that are visible, and decodes no others.
    ///
    /// ```swift
    /// let view = PhotoView()
    /// view.show(url, prefetching: [next, previous])
    /// ```
    ///
    /// All of the picture is visible at first. The wheel and a pinch zoom about the pointer, a drag and two fingers move the picture, and
    /// a double click changes between all of it and one pixel of the screen for each of the picture's. So do the keys 0 and 1; +, − and
    /// the arrows zoom and move. A photograph of hundreds of megapixels needs memory for its file and about four times the view's
    /// pixels; see `ImageRegionReader`. An animation shows its first frame.
    ///
    /// The view fills its parent, and lives as long as its widget.
    // Inherited from a class with `@preconcurrency`, the actor of an isolated deinit crashes Swift 6.2 with assertions.
    @MainActor
    public final class PhotoView: KFCrossPlatformView {
        private let paintable: PhotoPaintable
        private var load: Task<Void, Never>?
        private var prefetched: [URL: Prefetched] = [:]
        private var lastZoom = 0.0

        /// Called on the main thread after a change of ``zoom``.
        public var zoomChanged: (@MainActor () -> Void)?

        /// Called on the main thread when an image is shown, or has failed; not for a load that another one has replaced.
        public var loaded: (@MainActor (Result<Image, any Error>) -> Void)?

        /// Creates a view; initialises GTK, and ends the program if there is no display.
        public init() {
            initializeGTK()
            let paintable = PhotoPaintable()
            let surface = PhotoSurface(paintable)
            self.paintable = paintable
            super.init(surface: surface)
            surface.keep(self)
            surface.connectInput(to: self)
            paintable.viewportChanged = { [weak self] in self?.viewportDidChange() }
            paintable.decodingFailed = { [weak self] error in self?.loaded?(.failure(error)) }
        }

        // What the program's blocks have captured, such as widgets, is released on the main thread.
        isolated deinit { load?.cancel() }

        /// The image that is shown; nil for none, and as long as there are only previews.
        public var image: Image? { paintable.image }

        // MARK: - Loading

        /// Loads an image, and shows its previews and then itself.
        ///
        /// - Parameters:
        ///   - url: the image; nil for none.
        ///   - neighbors: images that are probably shown next. After this one they are loaded and decoded at the size of the view, and
        ///     kept until the next call.
        ///   - options: those of the loads; a processor's result is shown, as far as it is within the limits.
        public func show(
            _ url: URL?, prefetching neighbors: [URL] = [], options: KingfisherOptionsInfo? = nil
        ) {
            load?.cancel()
            let ready = url.flatMap { prefetched[$0]?.image }
            if let url, ready == nil {
                // A load of a neighbor that is shown now goes on, and is joined.
                keep(neighbors + [url])
                start(url, prefetching: neighbors, options)
            } else {
                show(ready)
                prefetch(neighbors, options)
            }
        }

        private func keep(_ urls: [URL]) { prefetched = prefetched.filter { urls.contains($0.key) } }

        private func prefetch(_ neighbors: [URL], _ options: KingfisherOptionsInfo?) {
            keep(neighbors)
            for url in neighbors where prefetched[url] == nil {
                prefetched[url] = Prefetched(url, options, viewport: paintable.viewport)
            }
        }

        /// Shows an image that is loaded; nil for none.
        public func show(_ image: Image?) {
            load?.cancel()
            paintable.show(image)
            if let image { loaded?(.success(image)) }
        }

        /// Whether a neighbor is loaded, or its load has started.
        func isPrefetched(_ url: URL) -> Bool { prefetched[url] != nil }

        /// Whether a neighbor is loaded.
        func isReady(_ url: URL) -> Bool { prefetched[url]?.image != nil }

        private func start(_ url: URL, prefetching neighbors: [URL], _ options: KingfisherOptionsInfo?) {
            let events = Self.events(of: url, options)
            load = Task { [weak self] in
                do {
                    for try await event in events {
                        guard let self, !Task.isCancelled else { return }
                        switch event {
                        case .progress: break
                        case .preview(let image): paintable.show(preview: image)
                        case .result(let result):
                            paintable.show(result.image, of: url.isFileURL ? url : nil)
                            loaded?(.success(result.image))
                        }
                    }
                } catch {
                    guard let self, !Task.isCancelled else { return }
                    paintable.show(nil)
                    loaded?(.failure(error))
                }
                guard let self, !Task.isCancelled else { return }
                prefetch(neighbors, options)
            }
        }

        /// A load of an image of any size; a file is not copied into the disk cache.
        fileprivate static func events(of url: URL, _ options: KingfisherOptionsInfo?) -> LoadSequence {
            let added: KingfisherOptionsInfo = url.isFileURL ? [.cacheMemoryOnly] : []
            return KingfisherManager.shared.events(
                of: url.convertToSource(), options: added + (options ?? []), mayBeReduced: true)
        }

        // MARK: - Zooming

        /// Pixels of the screen for each of the picture's: 1 for all pixels, less for a reduced picture.
        public var zoom: Double { paintable.viewport.pixels }

        /// Whether all of the picture is visible, whatever the size of the view.
        public var isFit: Bool { paintable.viewport.isFit }

        /// Shows all of the picture.
        public func zoomToFit() { paintable.change { $0.showAll() } }

        /// Shows each pixel of the picture as one of the screen's, about the middle of the view or a place in it, in points.
        public func zoomToPixels(about place: CGPoint? = nil) {
            paintable.change { $0.showPixels(about: place ?? $0.middle) }
        }

        /// Changes ``zoom`` by a factor, about the middle of the view or a place in it, in points.
        ///
        /// At most 16; the least is that of the whole picture.
        public func zoom(by factor: Double, about place: CGPoint? = nil) {
            paintable.change { $0.zoom(by: factor, about: place ?? $0.middle) }
        }

        /// Moves the picture by a distance in points, up to its edges.
        public func pan(by x: Double, _ y: Double) { paintable.change { $0.pan(by: x, y) } }

        private func viewportDidChange() {
            guard zoom != lastZoom else { return }
            lastZoom = zoom
            // The view may be drawing now, when widgets must not change.
            DispatchQueue.main.async { [weak self] in self?.zoomChanged?() }
        }

        public override func visibilityDidChange(_ isVisible: Bool) {
            if !isVisible { paintable.stop() }
        }
    }

    /// An image that may be shown next.
    @MainActor
    private final class Prefetched {
        private(set) var image: Image?
        private var task: Task<Void, Never>?

        init(_ url: URL, _ options: KingfisherOptionsInfo?, viewport: PhotoViewport) {
            let events = PhotoView.events(of: url, options)
            task = Task { [weak self] in
                do {
                    for try await case .result(let result) in events {
                        let image = result.image
                        self?.image = image
                        var viewport = viewport
                        viewport.picture = CGSize(
                            width: image.pixelSize.width, height: image.pixelSize.height)
                        if let size = viewport.fittedPixels { image.decode(drawnAt: size) { _, _ in } }
                    }
                } catch {
                    // It is loaded again when it is shown.
                }
            }
        }

        isolated deinit { task?.cancel() }
    }
#endif
