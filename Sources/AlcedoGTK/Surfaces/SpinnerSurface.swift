#if GTK
    import Alcedo
    import CGtk4

    @MainActor
    final class SpinnerSurface: WidgetSurface, ActivitySurface {
        init() {
            super.init(content: gtk_spinner_new(), hasOverlay: false)
            // A spinner of natural size is hard to see in front of an image.
            gtk_widget_set_size_request(content, 24, 24)
        }

        func startAnimating() { gtk_spinner_start(OpaquePointer(content)) }

        func stopAnimating() { gtk_spinner_stop(OpaquePointer(content)) }
    }
#endif
