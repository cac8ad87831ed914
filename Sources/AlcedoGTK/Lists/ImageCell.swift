#if GTK
    import Alcedo
    import CGtk4
    import Foundation

    /// A list's cell: a view whose size does not depend on its image, with its caption.
    @MainActor
    final class ImageCell {
        let view: ImageView
        let binder: ImageBinder
        let widget: UnsafeMutablePointer<GtkWidget>
        private var signals: Signals
        private var labels: CaptionLabels?

        init(_ view: ImageView, size: CGSize, content: ImageCellContent) {
            self.view = view
            binder = ImageBinder(view, isCell: true)
            view.binder = binder
            guard let overlay = gtk_overlay_new(), let space = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0) else {
                preconditionFailure("GTK must be initialised")
            }
            // An overlay does not measure what is in front of its child.
            gtk_widget_set_size_request(
                space, Int32(clamping: Int(size.width)), Int32(clamping: Int(size.height)))
            gtk_overlay_set_child(OpaquePointer(overlay), space)
            gtk_overlay_add_overlay(OpaquePointer(overlay), view.widget)
            labels = content.caption.map { _ in CaptionLabels(of: overlay, content.placement) }
            widget = labels?.box ?? overlay
            g_object_ref_sink(widget)
            signals = Signals(of: widget)
        }

        func show(_ caption: ImageCaption) { labels?.show(caption) }

        isolated deinit {
            // Disconnects the old ones: the widget may end here.
            signals = Signals(of: widget)
            g_object_unref(widget)
        }

        /// Calls `handler` whenever the cell is mapped or unmapped.
        func whenMapped(context: gpointer, _ handler: Signals.Handler) {
            signals.connect("map", context, handler)
            signals.connect("unmap", context, handler)
        }
    }
#endif
