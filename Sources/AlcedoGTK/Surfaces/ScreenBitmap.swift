#if GTK
    import Alcedo
    import CGtk4

    /// A bitmap as GTK draws it, for all views that draw the bitmap: a renderer uploads each texture by itself.
    @MainActor
    final class ScreenBitmap {
        private struct Reference {
            weak var value: ScreenBitmap?
        }

        private static var all: [ObjectIdentifier: Reference] = [:]

        let texture: Texture
        let pixels: CairoPixels

        /// Keeps the key in ``all`` its own.
        private let bitmap: Bitmap

        var size: PixelSize { bitmap.size }
        var isOpaque: Bool { bitmap.alpha == .opaque }

        /// Nil for a side that GTK cannot draw.
        private init?(_ bitmap: Bitmap) {
            guard let texture = try? Texture(bitmap), let pixels = CairoPixels(bitmap) else { return nil }
            (self.texture, self.pixels, self.bitmap) = (texture, pixels, bitmap)
        }

        isolated deinit {
            let key = ObjectIdentifier(bitmap)
            // Another one may have taken its place.
            if Self.all[key]?.value == nil { Self.all[key] = nil }
        }

        /// The one of all that draw `bitmap`; nil for a side that GTK cannot draw.
        static func shared(of bitmap: Bitmap) -> ScreenBitmap? {
            let key = ObjectIdentifier(bitmap)
            if let present = all[key]?.value { return present }
            guard let made = ScreenBitmap(bitmap) else { return nil }
            all[key] = Reference(value: made)
            return made
        }
    }
#endif
