#if GTK
    public import Alcedo
    public import CGtk4
    import Foundation

    extension KFImageProtocol {
        /// Creates a widget with a round picture of somebody, and their initials until it is loaded or if it fails.
        ///
        /// Without a picture, it is `KFImage(nil).makeAvatar(name: name)`. The widget is a `GtkImage`, which owns the load; the
        /// reference is floating. An `AdwAvatar` draws initials itself: it takes `scaledToFill().makePaintable().handle` as its custom image.
        ///
        /// - Parameters:
        ///   - name: what the initials, their colour and the accessible label come from.
        ///   - size: the width and height in points.
        /// - Returns: the widget, for a container or a list.
        public func makeAvatar(name: String, size: Int = 48) -> UnsafeMutablePointer<GtkWidget> {
            initializeGTK()
            guard let widget = gtk_image_new() else { preconditionFailure("gtk_image_new failed") }
            let initials = PaintableType.makeInstance(
                retaining: Initials(of: name, fonts: gtk_widget_create_pango_context(widget)))
            defer { g_object_unref(UnsafeMutableRawPointer(initials)) }
            let surface = PaintableSurface(
                placeholder: initials, size: CGSize(width: size, height: size), isRound: true)
            let paintable = scaledToFill().makePaintable(on: surface)
            gtk_image_set_from_paintable(OpaquePointer(widget), paintable.handle)
            gtk_image_set_pixel_size(OpaquePointer(widget), gint(size))
            setAccessibleLabel(name, of: widget)
            return widget
        }
    }

    /// Draws the initials of a name on a disc of a colour that the name has.
    @MainActor
    final class Initials: PaintableContent {
        private let text: String
        private let color: GdkRGBA

        /// A `PangoContext`.
        private let fonts: OpaquePointer

        /// Takes ownership of a `PangoContext`.
        init(of name: String, fonts: OpaquePointer) {
            text = Self.text(of: name)
            color = Self.colors[Self.index(of: name)]
            self.fonts = fonts
        }

        isolated deinit { g_object_unref(UnsafeMutableRawPointer(fonts)) }

        /// The first letters of the first and the last word, in upper case.
        nonisolated static func text(of name: String) -> String {
            let words = name.split(whereSeparator: \.isWhitespace)
            let ends = words.count > 1 ? [words[0], words[words.count - 1]] : words
            return ends.compactMap(\.first).map { $0.uppercased() }.joined()
        }

        /// The same on every computer and in every run.
        nonisolated static func index(of name: String) -> Int {
            // Bernstein's hash: Swift's own has a random seed.
            Int(name.utf8.reduce(5381) { ($0 &* 33) ^ UInt32($1) } % UInt32(hues))
        }

        private nonisolated static let hues = 12

        /// White text has a contrast of at least 4.5 to each.
        private static let colors: [GdkRGBA] = [
            (0.75, 0.22, 0.20), (0.70, 0.32, 0.08), (0.54, 0.42, 0.04), (0.36, 0.48, 0.08),
            (0.14, 0.50, 0.20), (0.06, 0.50, 0.40), (0.06, 0.47, 0.56), (0.14, 0.42, 0.72),
            (0.34, 0.36, 0.78), (0.52, 0.30, 0.74), (0.66, 0.24, 0.60), (0.74, 0.20, 0.40),
        ].map { GdkRGBA(red: $0, green: $1, blue: $2, alpha: 1) }

        override func draw(on snapshot: OpaquePointer, width: Double, height: Double) {
            var bounds = graphene_rect_t()
            graphene_rect_init(&bounds, 0, 0, Float(width), Float(height))
            var disc = GskRoundedRect()
            var corner = graphene_size_t(width: Float(width / 2), height: Float(height / 2))
            gsk_rounded_rect_init(&disc, &bounds, &corner, &corner, &corner, &corner)
            gtk_snapshot_push_rounded_clip(snapshot, &disc)
            var (background, foreground) = (color, GdkRGBA(red: 1, green: 1, blue: 1, alpha: 1))
            gtk_snapshot_append_color(snapshot, &background, &bounds)
            gtk_snapshot_pop(snapshot)
            guard !text.isEmpty, let layout = pango_layout_new(fonts) else { return }
            defer { g_object_unref(UnsafeMutableRawPointer(layout)) }
            let font = pango_font_description_copy(pango_context_get_font_description(fonts))
            pango_font_description_set_weight(font, PANGO_WEIGHT_BOLD)
            pango_font_description_set_absolute_size(font, min(width, height) * 0.38 * Double(PANGO_SCALE))
            pango_layout_set_font_description(layout, font)
            pango_font_description_free(font)
            pango_layout_set_text(layout, text, -1)
            var size = PangoRectangle()
            pango_layout_get_pixel_extents(layout, nil, &size)
            var origin = graphene_point_t(
                x: Float((width - Double(size.width)) / 2), y: Float((height - Double(size.height)) / 2))
            gtk_snapshot_save(snapshot)
            gtk_snapshot_translate(snapshot, &origin)
            gtk_snapshot_append_layout(snapshot, layout, &foreground)
            gtk_snapshot_restore(snapshot)
        }
    }
#endif
