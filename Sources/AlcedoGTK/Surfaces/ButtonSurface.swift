#if GTK
    public import Alcedo
    import CGtk4

    /// A `GtkButton` with an image and a background image.
    @MainActor
    public final class ButtonSurface: WidgetSurface, DrawingSurface {
        /// Called with the new state whenever the button's state has changed.
        var stateChanged: (@MainActor (UIControl.State) -> Void)?

        private let image = PictureSurface()
        private let background = PictureSurface()
        private var buttonSignals: Signals?

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

        // Disconnects before the superclass releases the button.
        isolated deinit { buttonSignals = nil }

        public override func show(_ image: KFCrossPlatformImage?) { self.image.show(image) }

        public override func showBackground(_ image: KFCrossPlatformImage?) { background.show(image) }

        package var drawnSizeChanged: (@MainActor () -> Void)? {
            get { image.drawnSizeChanged }
            set { image.drawnSizeChanged = newValue }
        }

        package func measure(_ image: Image, then body: @escaping @MainActor (PixelSize?) -> Void) {
            self.image.measure(image, then: body)
        }

        package func measureBackground(
            _ image: Image, then body: @escaping @MainActor (PixelSize?) -> Void
        ) { background.measure(image, then: body) }

        package func show(frame: Image) { image.show(frame: frame) }

        /// The button's state, converted from GTK's state flags.
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

    /// The button type in Kingfisher's API.
    public typealias Button = KFCrossPlatformButton

    extension KFCrossPlatformButton {
        /// Creates a view with a new `GtkButton`; initialises GTK, and ends the program if there is no display.
        ///
        /// It lives as long as its widget.
        public convenience init() {
            let surface = ButtonSurface()
            self.init(surface: surface)
            surface.keep(self)
            surface.stateChanged = { [weak self] in self?.state = $0 }
        }
    }
#endif
