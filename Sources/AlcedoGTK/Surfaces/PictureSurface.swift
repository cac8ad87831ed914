#if GTK
    public import Alcedo
    public import CGtk4
    import Foundation

    /// A `GtkPicture` that shows an image, with transitions.
    @MainActor
    public final class PictureSurface: WidgetSurface, DrawingSurface {
        private let paintable = ImagePaintable()
        private var running: RunningTransition?
        private var isResizable = true
        private var waits: [LayoutWait] = []

        package var drawnSizeChanged: (@MainActor () -> Void)?

        /// Creates a surface with a new `GtkPicture` in an overlay.
        public convenience init() {
            initializeGTK()
            self.init(gtk_picture_new(), hasOverlay: true)
        }

        /// Creates a surface on an existing `GtkPicture`, which keeps its present content until an image is set.
        public convenience init(picture: UnsafeMutablePointer<GtkWidget>) {
            precondition(picture.isA(gtk_picture_get_type()), "the widget must be a GtkPicture")
            self.init(picture, hasOverlay: false)
        }

        private init(_ picture: UnsafeMutablePointer<GtkWidget>, hasOverlay: Bool) {
            super.init(content: picture, hasOverlay: hasOverlay)
            paintable.displaySize = { [weak self] in
                self.map { ($0.size, $0.scale) } ?? (.zero, 1)
            }
            paintable.drawnSizeChanged = { [weak self] in self?.drawnSizeChanged?() }
            paintable.decodingFailed = { [weak self] in self?.showPaintable() }
            paintable.usesCairoRenderer = { [weak self] in self?.usesCairoRenderer ?? false }
        }

        public override func show(_ image: KFCrossPlatformImage?) {
            paintable.show(image)
            showPaintable()
        }

        public override func setContentMode(_ mode: KFCrossPlatformView.ContentMode) {
            paintable.contentMode = mode
            fit()
        }

        /// Sets whether the widget may be larger or smaller than its image; otherwise the image keeps its size in points.
        public override func setResizable(_ isResizable: Bool) {
            self.isResizable = isResizable
            gtk_picture_set_can_shrink(OpaquePointer(content), isResizable ? 1 : 0)
            fit()
        }

        private func fit() {
            let fit =
                switch paintable.contentMode {
                case _ where !isResizable: GTK_CONTENT_FIT_SCALE_DOWN
                case .scaleToFill: GTK_CONTENT_FIT_FILL
                case .scaleAspectFit: GTK_CONTENT_FIT_CONTAIN
                case .scaleAspectFill: GTK_CONTENT_FIT_COVER
                }
            gtk_picture_set_content_fit(OpaquePointer(content), fit)
        }

        /// Sets the paintable; none if it is empty, so the widget takes no space.
        private func showPaintable() {
            let picture = OpaquePointer(content)
            let handle = paintable.isEmpty ? nil : paintable.handle
            if gtk_picture_get_paintable(picture) != handle { gtk_picture_set_paintable(picture, handle) }
        }

        @MainActor
        public override func transition(
            _ transition: ViewTransition,
            changes: () -> Void,
            completion: @escaping @MainActor (Bool) -> Void
        ) {
            var interrupted = [running?.stop()]
            let isAnimated = isVisible && transition.duration > 0 && allowsAnimations
            if isAnimated { paintable.keepForTransition() }
            changes()
            // The changes may have started another transition.
            interrupted.append(running?.stop())
            if isAnimated {
                running = RunningTransition(
                    transition, on: content, paintable: paintable, completion: completion)
            }
            // Called last, because a completion may start a transition that interrupts this one.
            for completion in interrupted { completion?(false) }
            if !isAnimated { completion(isVisible) }
        }

        override func visibilityDidChange(_ isVisible: Bool) {
            if !isVisible {
                running?.finish(false)
                for wait in exchange(&waits, with: []) { wait.end() }
            }
            super.visibilityDidChange(isVisible)
        }

        // MARK: - Size

        private func drawnSize(of image: Image) -> PixelSize? {
            paintable.contentMode.drawnSize(of: image.size, in: size, scale: scale)
        }

        package func measure(_ image: Image, then body: @escaping @MainActor (PixelSize?) -> Void) {
            if let size = drawnSize(of: image) { return body(size) }
            guard isVisible else { return body(nil) }
            paintable.expect(image)
            showPaintable()
            waits.append(
                LayoutWait(for: content) { [weak self] in
                    self?.waits.removeAll { $0.hasEnded }
                    body(self?.drawnSize(of: image))
                })
        }

        package func show(frame: Image) {
            paintable.show(frame, isFrame: true)
            showPaintable()
        }
    }

    /// Initialises GTK for a view that is made before the application runs; later calls do nothing.
    @MainActor
    func initializeGTK() {
        guard gtk_init_check() == 0 else { return }
        // Unlike a precondition's, this text is printed by optimised programs too.
        fatalError(
            "GTK can't open a display: run the program in a graphical session, or with xvfb-run, or set DISPLAY or "
                + "WAYLAND_DISPLAY")
    }
#endif
