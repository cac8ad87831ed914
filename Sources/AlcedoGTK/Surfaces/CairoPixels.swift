#if GTK
    import Alcedo
    import CGtk4

    /// A cairo surface that shares the pixels of a bitmap.
    struct CairoPixels {
        /// Frees the surface with the last copy of the struct.
        private final class Owner {
            let surface: OpaquePointer
            let bitmap: Bitmap

            init(_ surface: OpaquePointer, _ bitmap: Bitmap) {
                self.surface = surface
                self.bitmap = bitmap
            }

            deinit {
                // Other owners of the surface, such as a render node, get a copy of the pixels here.
                cairo_surface_finish(surface)
                cairo_surface_destroy(surface)
            }
        }

        private let owner: Owner
        private var surface: OpaquePointer { owner.surface }

        /// Shares the memory of `bitmap`, which must not have straight alpha; nil if it is too large for cairo.
        ///
        /// A deep one becomes 8 bits of sRGB.
        init?(_ bitmap: Bitmap) {
            guard let bitmap = try? bitmap.standard() else { return nil }
            let memory = UnsafeMutableRawPointer(mutating: bitmap.unsafeBaseAddress)
            let surface = cairo_image_surface_create_for_data(
                memory.assumingMemoryBound(to: UInt8.self),
                bitmap.alpha == .opaque ? CAIRO_FORMAT_RGB24 : CAIRO_FORMAT_ARGB32, Int32(bitmap.width),
                Int32(bitmap.height), Int32(bitmap.bytesPerRow))
            guard let surface, cairo_surface_status(surface) == CAIRO_STATUS_SUCCESS else { return nil }
            owner = Owner(surface, bitmap)
        }

        /// Draws the bitmap, stretched to a rectangle.
        func draw(on snapshot: OpaquePointer, in rect: graphene_rect_t) {
            var rect = rect
            guard let cairo = gtk_snapshot_append_cairo(snapshot, &rect) else { return }
            defer { cairo_destroy(cairo) }
            draw(with: cairo, in: rect)
        }

        /// Draws the sum of bitmaps, each at its rectangle and multiplied by its opacity.
        ///
        /// GTK's cross-fade node takes ten times as long, because it mixes pixel by pixel.
        static func draw(
            _ parts: [(pixels: CairoPixels, rect: graphene_rect_t, opacity: Double)],
            on snapshot: OpaquePointer,
            in bounds: graphene_rect_t
        ) {
            var bounds = bounds
            guard let cairo = gtk_snapshot_append_cairo(snapshot, &bounds) else { return }
            defer { cairo_destroy(cairo) }
            // In a group, because ADD would also add what is behind.
            cairo_push_group(cairo)
            cairo_set_operator(cairo, CAIRO_OPERATOR_ADD)
            for part in parts { part.pixels.draw(with: cairo, in: part.rect, opacity: part.opacity) }
            cairo_pop_group_to_source(cairo)
            cairo_paint(cairo)
        }

        private func draw(with cairo: OpaquePointer, in rect: graphene_rect_t, opacity: Double = 1) {
            let (x, y) = (Double(rect.origin.x), Double(rect.origin.y))
            let (width, height) = (Double(rect.size.width), Double(rect.size.height))
            let pattern = cairo_pattern_create_for_surface(surface)
            defer { cairo_pattern_destroy(pattern) }
            var matrix = cairo_matrix_t()
            cairo_matrix_init_scale(
                &matrix, Double(cairo_image_surface_get_width(surface)) / width,
                Double(cairo_image_surface_get_height(surface)) / height)
            cairo_matrix_translate(&matrix, -x, -y)
            cairo_pattern_set_matrix(pattern, &matrix)
            cairo_pattern_set_filter(pattern, CAIRO_FILTER_BILINEAR)
            // Extends edge pixels outwards, so bilinear filtering does not fade the edges.
            cairo_pattern_set_extend(pattern, CAIRO_EXTEND_PAD)
            cairo_save(cairo)
            cairo_set_source(cairo, pattern)
            cairo_rectangle(cairo, x, y, width, height)
            cairo_clip(cairo)
            cairo_paint_with_alpha(cairo, opacity)
            cairo_restore(cairo)
        }
    }
#endif
