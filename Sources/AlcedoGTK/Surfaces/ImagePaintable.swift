#if GTK
    import Alcedo
    import CGtk4
    import Foundation

    /// A `GdkPaintable` that draws an image, decoded at its display size, and the transition from the previous image.
    @MainActor
    final class ImagePaintable {
        private struct Picture {
            var image: Image
            var texture: Texture
            var pixels: CairoPixels
            var size: PixelSize

            /// Nil for a side that GTK cannot draw.
            init?(_ image: Image, _ bitmap: Bitmap) {
                guard let texture = try? Texture(bitmap), let pixels = CairoPixels(bitmap) else { return nil }
                self.image = image
                self.texture = texture
                self.pixels = pixels
                size = bitmap.size
            }
        }

        /// The `GdkPaintable`; valid for the lifetime of this object.
        let handle: OpaquePointer

        /// Returns the display size in points and the pixels per point; called before decoding.
        var displaySize: () -> (CGSize, CGFloat) = { (.zero, 1) }

        /// Called if a pending image cannot be decoded or drawn.
        var decodingFailed: () -> Void = {}

        /// Whether the window uses the cairo renderer, which copies and converts each texture per frame and does
        /// not support perspective.
        var usesCairoRenderer: () -> Bool = { false }

        /// The style and progress of the running transition; nil for none.
        var transition: (style: ViewTransition.Style, progress: Double)? {
            didSet {
                if transition == nil { old = nil }
                gdk_paintable_invalidate_contents(handle)
            }
        }

        private var picture: Picture?
        private var old: Picture?

        /// The image that is being decoded; the paintable already has its size.
        private var pending: Image?
        private var isDecodingMore = false

        init() {
            handle = PaintableType.makeInstance()
            PaintableType.setOwner(self, of: handle)
        }

        isolated deinit {
            PaintableType.setOwner(nil, of: handle)
            g_object_unref(UnsafeMutableRawPointer(handle))
        }

        /// Whether there is neither an image nor a previous image of a transition.
        var isEmpty: Bool { picture == nil && old == nil && pending == nil }

        var texture: Texture? { picture?.texture }

        /// The image's size in points; zero without an image.
        var size: CGSize { (pending ?? picture?.image ?? old?.image)?.size ?? .zero }

        /// Shows an image; nothing for nil, a damaged image, or a side that GTK cannot draw.
        ///
        /// An image that is not decoded is decoded on a worker thread; until then its area is empty.
        func show(_ image: Image?) {
            let before = size
            pending = nil
            picture = nil
            if let image, let bitmap = image.pixels(covering: displayPixelSize) {
                picture = Picture(image, bitmap)
            } else if let image {
                pending = image
                image.decode(covering: displayPixelSize) { [weak self] image, bitmap in
                    guard let self, pending === image else { return }
                    pending = nil
                    picture = bitmap.flatMap { Picture(image, $0) }
                    if picture == nil { decodingFailed() }
                    gdk_paintable_invalidate_contents(handle)
                }
            }
            if size != before { gdk_paintable_invalidate_size(handle) }
            gdk_paintable_invalidate_contents(handle)
        }

        /// Keeps the present image as the start of the next transition.
        func keepForTransition() { old = picture }

        private var displayPixelSize: PixelSize? {
            let (size, scale) = displaySize()
            return PixelSize(covering: size, scale: scale)
        }

        // MARK: - Drawing

        /// Draws into a rectangle of this size at the origin.
        func draw(on snapshot: OpaquePointer, width: Double, height: Double) {
            decodeMoreIfNeeded(width: width, height: height)
            guard let transition else { return append(picture, to: snapshot, width, height) }
            switch transition.style {
            case .none: append(old, to: snapshot, width, height)
            case .crossDissolve: mix(transition.progress, on: snapshot, width, height)
            case .flipFromLeft, .flipFromRight, .flipFromTop, .flipFromBottom:
                flip(transition, on: snapshot, width, height)
            }
        }

        private func mix(_ progress: Double, on snapshot: OpaquePointer, _ width: Double, _ height: Double) {
            if usesCairoRenderer() {
                let parts = [(old, 1 - progress), (picture, progress)].compactMap { picture, opacity in
                    picture.flatMap { picture in
                        drawnRect(of: picture, width, height).map { (picture.pixels, $0, opacity) }
                    }
                }
                return CairoPixels.draw(parts, on: snapshot, in: Self.rect(width, height))
            }
            gtk_snapshot_push_cross_fade(snapshot, progress)
            append(old, to: snapshot, width, height)
            gtk_snapshot_pop(snapshot)
            append(picture, to: snapshot, width, height)
            gtk_snapshot_pop(snapshot)
        }

        /// Draws a rotation: the old image in the first half, the new one in the second.
        private func flip(
            _ transition: (style: ViewTransition.Style, progress: Double),
            on snapshot: OpaquePointer,
            _ width: Double,
            _ height: Double
        ) {
            let isBack = transition.progress < 0.5
            let turn = 180 * (isBack ? transition.progress : transition.progress - 1)
            let isVertical = [.flipFromTop, .flipFromBottom].contains(transition.style)
            let sign = [.flipFromLeft, .flipFromBottom].contains(transition.style) ? 1.0 : -1.0
            let picture = isBack ? old : picture
            if usesCairoRenderer() {
                // A rotation without perspective is a horizontal or vertical scaling.
                let narrow = abs(cos(turn * .pi / 180))
                let squeeze = isVertical ? CGSize(width: 1, height: narrow) : CGSize(width: narrow, height: 1)
                return append(picture, to: snapshot, width, height, squeeze: squeeze)
            }
            var axis = graphene_vec3_t()
            graphene_vec3_init(&axis, isVertical ? 1 : 0, isVertical ? 0 : 1, 0)
            var center = graphene_point_t(x: Float(width / 2), y: Float(height / 2))
            var back = graphene_point_t(x: -center.x, y: -center.y)
            gtk_snapshot_save(snapshot)
            gtk_snapshot_translate(snapshot, &center)
            gtk_snapshot_perspective(snapshot, Float(max(width, height) * 3))
            gtk_snapshot_rotate_3d(snapshot, Float(turn * sign), &axis)
            gtk_snapshot_translate(snapshot, &back)
            append(picture, to: snapshot, width, height)
            gtk_snapshot_restore(snapshot)
        }

        private func append(
            _ picture: Picture?,
            to snapshot: OpaquePointer,
            _ width: Double,
            _ height: Double,
            squeeze: CGSize = CGSize(width: 1, height: 1)
        ) {
            guard let picture, var rect = drawnRect(of: picture, width, height, squeeze: squeeze) else {
                return
            }
            if usesCairoRenderer() {
                picture.pixels.draw(on: snapshot, in: rect)
            } else {
                gtk_snapshot_append_texture(snapshot, picture.texture.handle, &rect)
            }
        }

        /// The centred rectangle of an image, which is fitted if its aspect ratio differs; nil if it is empty.
        private func drawnRect(
            of picture: Picture,
            _ width: Double,
            _ height: Double,
            squeeze: CGSize = CGSize(width: 1, height: 1)
        ) -> graphene_rect_t? {
            let size = picture.image.size
            let factor = min(width / size.width, height / size.height)
            let hasSameAspect = abs(size.width * factor - width) < 1 && abs(size.height * factor - height) < 1
            var fitted =
                hasSameAspect || picture.image === self.picture?.image
                ? (width, height) : (size.width * factor, size.height * factor)
            fitted = (fitted.0 * squeeze.width, fitted.1 * squeeze.height)
            guard fitted.0 > 0, fitted.1 > 0 else { return nil }
            return Self.rect(fitted.0, fitted.1, x: (width - fitted.0) / 2, y: (height - fitted.1) / 2)
        }

        private static func rect(
            _ width: Double, _ height: Double, x: Double = 0, y: Double = 0
        ) -> graphene_rect_t {
            graphene_rect_t(
                origin: graphene_point_t(x: Float(x), y: Float(y)),
                size: graphene_size_t(width: Float(width), height: Float(height)))
        }

        /// Decodes at a larger size, on a worker thread, if the bitmap is smaller than the drawn size.
        private func decodeMoreIfNeeded(width: Double, height: Double) {
            guard let picture, !isDecodingMore else { return }
            let scale = displaySize().1
            let present = picture.size
            guard present != picture.image.pixelSize,
                let needed = PixelSize(covering: CGSize(width: width, height: height), scale: scale),
                // A difference of one pixel is rounding.
                needed.width > present.width + 1 || needed.height > present.height + 1
            else { return }
            isDecodingMore = true
            picture.image.decode(covering: needed) { [weak self] image, bitmap in
                guard let self else { return }
                isDecodingMore = false
                guard self.picture?.image === image, let decoded = bitmap.flatMap({ Picture(image, $0) })
                else {
                    return
                }
                self.picture = decoded
                gdk_paintable_invalidate_contents(handle)
            }
        }
    }
#endif
