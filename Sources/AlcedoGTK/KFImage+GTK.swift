#if GTK
    public import Alcedo
    public import CGtk4
    import Foundation

    extension KFImageProtocol {
        /// Creates a widget that loads the image when it is mapped; initialises GTK, and ends the program if there is no display.
        ///
        /// The reference is floating, as of a widget that GTK makes: the container takes it. The widget owns its view and its
        /// load, and cancels the load when it is destroyed.
        public func makeWidget() -> UnsafeMutablePointer<GtkWidget> { makeView().widget }

        /// Creates a view with a new `GtkPicture`, which loads the image when it is mapped; see ``makeWidget()``.
        ///
        /// It lives as long as its widget.
        public func makeView() -> HoldingView {
            let surface = PictureSurface()
            let view = makeView(surface: surface)
            surface.keep(view)
            return view
        }

        /// Sets a block that makes the widget that is in front until the image is loaded, at the view's size or its own
        /// alignment.
        public func placeholder(_ make: @escaping @MainActor () -> UnsafeMutablePointer<GtkWidget>?) -> Self {
            placeholder { make().map(WidgetPlaceholder.init) as (any Placeholder)? }
        }

        /// Sets a block that makes the widget that is in front after a failure, until the image is loaded again.
        public func onFailureView(_ make: @escaping @MainActor () -> UnsafeMutablePointer<GtkWidget>?) -> Self
        {
            onFailureView { make().map(WidgetPlaceholder.init) as (any Placeholder)? }
        }
    }

    extension KFImageProtocol {
        /// Shows a button after a failure, which loads the image again.
        ///
        /// - Parameter label: what a screen reader and the tooltip say.
        /// - Returns: the image with the button, instead of what ``Alcedo/KFImageProtocol/onFailureView(_:)`` has set.
        public func retryButton(_ label: String = "Load again") -> Self {
            onFailureView { RetryButton(label) as (any Placeholder)? }
        }
    }

    /// A button in front of a view whose load has failed.
    // Inherited from a class with `@preconcurrency`, the actor of an isolated deinit crashes Swift 6.2 with assertions.
    @MainActor
    private final class RetryButton: KFCrossPlatformView, Placeholder {
        private weak var imageView: ImageView?
        private var signals: Signals?

        init(_ label: String) {
            guard let button = gtk_button_new_from_icon_name("view-refresh-symbolic") else {
                preconditionFailure("GTK must be initialised")
            }
            gtk_widget_set_tooltip_text(button, label)
            setAccessibleLabel(label, of: button)
            super.init(surface: WidgetSurface(content: button, hasOverlay: false))
            var signals = Signals(of: button)
            signals.connect("clicked", Unmanaged.passUnretained(self).toOpaque()) { _, context in
                guard let context else { return }
                let button = Unmanaged<RetryButton>.fromOpaque(context).takeUnretainedValue()
                MainActor.assumeIsolated { button.imageView?.retry() }
            }
            self.signals = consume signals
        }

        // Disconnects before the superclass releases the button.
        isolated deinit { signals = nil }

        @MainActor
        func add(to imageView: KFCrossPlatformImageView) {
            self.imageView = imageView
            imageView.surface.add(surface, size: .intrinsicSize, centerOffset: .zero)
            // `add` has children receive no input.
            gtk_widget_set_can_target(widget, 1)
        }
    }

    /// A widget in front of a view.
    private final class WidgetPlaceholder: KFCrossPlatformView, Placeholder {
        init(_ widget: UnsafeMutablePointer<GtkWidget>) {
            super.init(surface: WidgetSurface(content: widget, hasOverlay: false))
        }

        /// Adds the widget with its own alignment; it receives input.
        @MainActor
        func add(to imageView: KFCrossPlatformImageView) {
            let alignment = (gtk_widget_get_halign(widget), gtk_widget_get_valign(widget))
            imageView.surface.add(surface, size: .full, centerOffset: .zero)
            gtk_widget_set_halign(widget, alignment.0)
            gtk_widget_set_valign(widget, alignment.1)
            gtk_widget_set_can_target(widget, 1)
        }
    }
#endif
