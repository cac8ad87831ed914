#if GTK
    import CGtk4
    import Foundation

    /// The labels of an ``ImageCaption``.
    @MainActor
    final class CaptionLabels {
        /// The cell: the image and the labels.
        let box: UnsafeMutablePointer<GtkWidget>

        private let title = CaptionLabels.label()
        private let subtitle = CaptionLabels.label("caption", "dim-label")
        private let badge = CaptionLabels.label("alcedo-badge")

        /// Puts labels beside an image, and one over it.
        init(of image: UnsafeMutablePointer<GtkWidget>, _ placement: ImageCaption.Placement) {
            Self.addStyle(to: image)
            let isBeside = placement == .beside
            let texts = Self.box(GTK_ORIENTATION_VERTICAL, spacing: 2, [title, subtitle])
            gtk_widget_set_valign(texts, GTK_ALIGN_CENTER)
            gtk_widget_set_hexpand(texts, 1)
            for label in [title, subtitle] {
                gtk_label_set_ellipsize(OpaquePointer(label), PANGO_ELLIPSIZE_END)
                // The text does not widen the cell.
                gtk_label_set_width_chars(OpaquePointer(label), 1)
                gtk_label_set_max_width_chars(OpaquePointer(label), 1)
                gtk_label_set_xalign(OpaquePointer(label), isBeside ? 0 : 0.5)
            }
            gtk_widget_set_halign(badge, GTK_ALIGN_END)
            gtk_widget_set_valign(badge, GTK_ALIGN_START)
            gtk_widget_set_can_target(badge, 0)
            gtk_overlay_add_overlay(OpaquePointer(image), badge)
            box = Self.box(
                isBeside ? GTK_ORIENTATION_HORIZONTAL : GTK_ORIENTATION_VERTICAL, spacing: isBeside ? 12 : 6,
                [image, texts])
        }

        func show(_ caption: ImageCaption) {
            for (label, text) in [
                (title, caption.title), (subtitle, caption.subtitle), (badge, caption.badge),
            ] {
                gtk_label_set_text(OpaquePointer(label), text ?? "")
                gtk_widget_set_visible(label, text == nil ? 0 : 1)
            }
        }

        private static func label(_ classes: String...) -> UnsafeMutablePointer<GtkWidget> {
            guard let label = gtk_label_new(nil) else { preconditionFailure("GTK must be initialised") }
            for name in classes { gtk_widget_add_css_class(label, name) }
            return label
        }

        private static func box(
            _ orientation: GtkOrientation, spacing: gint, _ children: [UnsafeMutablePointer<GtkWidget>]
        ) -> UnsafeMutablePointer<GtkWidget> {
            guard let box = gtk_box_new(orientation, spacing) else {
                preconditionFailure("GTK must be initialised")
            }
            for child in children { gtk_box_append(UnsafeMutablePointer(OpaquePointer(box)), child) }
            return box
        }

        /// The displays that have the style.
        private static var styled: Set<OpaquePointer> = []

        /// Themes and programs override it: it has the lowest priority.
        private static func addStyle(to widget: UnsafeMutablePointer<GtkWidget>) {
            guard let display = gtk_widget_get_display(widget), styled.insert(display).inserted else {
                return
            }
            let style = """
                .alcedo-badge { margin: 4px; padding: 1px 8px; border-radius: 999px; font-size: smaller;
                                color: white; background-color: rgba(0, 0, 0, 0.65); }
                """
            let provider = gtk_css_provider_new()
            alcedo_gtk_css_provider_load(provider, style)
            gtk_style_context_add_provider_for_display(
                display, OpaquePointer(provider), guint(GTK_STYLE_PROVIDER_PRIORITY_FALLBACK))
            g_object_unref(provider)
        }
    }
#endif
