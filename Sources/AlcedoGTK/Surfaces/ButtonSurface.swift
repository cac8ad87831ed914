#if GTK
    public import Alcedo
    import CGtk4

    /// A `GtkButton` with a picture, and another one behind it.
    @MainActor
    public final class ButtonSurface: WidgetSurface {
        /// Told what the button is doing, whenever that has changed.
        var stateChanged: (@MainActor (UIControl.State) -> Void)?

        private let image = PictureSurface()
        private let background = PictureSurface()
        private var buttonSignals: Signals?

        /// A button of its own.
        public init() {
            super.init(content: gtk_button_new(), hasOverlay: true)
            let overlay = gtk_overlay_new()
            gtk_overlay_set_child(OpaquePointer(overlay), background.widget)
            gtk_overlay_add_overlay(OpaquePointer(overlay), image.widget)
            gtk_overlay_set_measure_overlay(OpaquePointer(overlay), image.widget, 1)
            gtk_button_set_child(
                UnsafeMutableRawPointer(content).assumingMemoryBound(to: GtkButton.self), overlay)
            var signals = Signals(of: content)
            signals.connect(
                detailed: "state-flags-changed", Unmanaged.passUnretained(self).toOpaque()
            ) { _, _, context in
                guard let context else { return }
                let surface = Unmanaged<ButtonSurface>.fromOpaque(context).takeUnretainedValue()
                MainActor.assumeIsolated { surface.stateChanged?(surface.state) }
            }
            buttonSignals = consume signals
        }

        isolated deinit { buttonSignals = nil }

        public override func show(_ image: KFCrossPlatformImage?) { self.image.show(image) }

        public override func showBackground(_ image: KFCrossPlatformImage?) { background.show(image) }

        /// What GTK says that the button is doing.
        var state: UIControl.State {
            let flags = gtk_widget_get_state_flags(content).rawValue
            var state = UIControl.State.normal
            if flags & GTK_STATE_FLAG_ACTIVE.rawValue != 0 { state.insert(.highlighted) }
            if flags & GTK_STATE_FLAG_INSENSITIVE.rawValue != 0 { state.insert(.disabled) }
            if flags & (GTK_STATE_FLAG_SELECTED.rawValue | GTK_STATE_FLAG_CHECKED.rawValue) != 0 {
                state.insert(.selected)
            }
            if flags & GTK_STATE_FLAG_FOCUS_VISIBLE.rawValue != 0 { state.insert(.focused) }
            return state
        }
    }

    /// A button, where Kingfisher's API names the platform's type.
    public typealias Button = KFCrossPlatformButton

    extension KFCrossPlatformButton {
        /// Makes a view with a `GtkButton` of its own; GTK must have been initialised.
        public convenience init() {
            let surface = ButtonSurface()
            self.init(surface: surface)
            surface.stateChanged = { [weak self] in self?.state = $0 }
        }
    }
#endif
