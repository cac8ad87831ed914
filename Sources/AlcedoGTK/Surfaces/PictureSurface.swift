#if GTK
    public import Alcedo
    public import CGtk4
    import Foundation

    /// A `GtkPicture` that shows an image, and goes over from one to the next.
    @MainActor
    public final class PictureSurface: WidgetSurface {
        private let paintable = ImagePaintable()
        private var running: RunningTransition?

        /// A picture of its own, in an overlay.
        public convenience init() { self.init(gtk_picture_new(), hasOverlay: true) }

        /// A `GtkPicture` that exists, which keeps what it shows until an image is set.
        public convenience init(picture: UnsafeMutablePointer<GtkWidget>) {
            precondition(picture.isA(gtk_picture_get_type()), "the widget must be a GtkPicture")
            self.init(picture, hasOverlay: false)
        }

        private init(_ picture: UnsafeMutablePointer<GtkWidget>, hasOverlay: Bool) {
            super.init(content: picture, hasOverlay: hasOverlay)
            paintable.shownSize = { [weak self] in
                self.map { ($0.size, $0.scale) } ?? (.zero, 1)
            }
            paintable.isBroken = { [weak self] in self?.showPaintable() }
            paintable.isDrawnByCairo = { [weak self] in self?.isDrawnByCairo ?? false }
        }

        public override func show(_ image: KFCrossPlatformImage?) {
            paintable.show(image)
            showPaintable()
        }

        public override func setContentMode(_ mode: KFCrossPlatformView.ContentMode) {
            let fit =
                switch mode {
                case .scaleToFill: GTK_CONTENT_FIT_FILL
                case .scaleAspectFit: GTK_CONTENT_FIT_CONTAIN
                case .scaleAspectFill: GTK_CONTENT_FIT_COVER
                }
            gtk_picture_set_content_fit(OpaquePointer(content), fit)
        }

        /// A picture without anything to draw takes no room.
        private func showPaintable() {
            let picture = OpaquePointer(content)
            let shown = paintable.isEmpty ? nil : paintable.handle
            if gtk_picture_get_paintable(picture) != shown { gtk_picture_set_paintable(picture, shown) }
        }

        @MainActor
        public override func transition(
            _ transition: ViewTransition,
            changes: () -> Void,
            completion: @escaping @MainActor (Bool) -> Void
        ) {
            var interrupted = [running?.stop()]
            let isShown = isVisible && transition.duration > 0 && areAnimationsEnabled
            if isShown { paintable.keepAsOld() }
            changes()
            // Among the changes another one may have begun.
            interrupted.append(running?.stop())
            if isShown {
                running = RunningTransition(
                    transition, on: content, paintable: paintable, completion: completion)
            }
            // What a completion begins is newer than this transition, and may cut it short.
            for completion in interrupted { completion?(false) }
            if !isShown { completion(isVisible) }
        }

        override func noteVisibility(_ isVisible: Bool) {
            if !isVisible { running?.finish(false) }
            super.noteVisibility(isVisible)
        }

        private var isDrawnByCairo: Bool {
            guard let native = gtk_widget_get_native(content), let renderer = gtk_native_get_renderer(native)
            else {
                return false
            }
            return UnsafeMutableRawPointer(renderer).isInstance(of: gsk_cairo_renderer_get_type())
        }

        /// What the user has chosen for the desktop.
        private var areAnimationsEnabled: Bool {
            guard let settings = gtk_widget_get_settings(content) else { return true }
            var value = GValue()
            g_value_init(&value, GType(5 << 2))
            g_object_get_property(
                UnsafeMutableRawPointer(settings).assumingMemoryBound(to: GObject.self),
                "gtk-enable-animations", &value)
            defer { g_value_unset(&value) }
            return g_value_get_boolean(&value) != 0
        }
    }
#endif
