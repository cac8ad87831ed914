#if GTK
    import Alcedo
    import CGtk4
    import Foundation

    /// An image as a `GdkPaintable`, with as many of its pixels as are drawn, and what it looks like on the way from the
    /// one before.
    @MainActor
    final class ImagePaintable {
        private struct Picture {
            var image: Image
            var texture: Texture
            var pixels: CairoPixels
            var size: PixelSize

            /// Nil for a side that GTK can't draw.
            init?(_ image: Image, _ bitmap: Bitmap) {
                guard let texture = try? Texture(bitmap), let pixels = CairoPixels(bitmap) else { return nil }
                self.image = image
                self.texture = texture
                self.pixels = pixels
                size = bitmap.size
            }
        }

        /// The `GdkPaintable`; valid for as long as this lives.
        let handle: OpaquePointer

        /// How large it is drawn, in points, and pixels per point; asked before pixels are decoded.
        var shownSize: () -> (CGSize, CGFloat) = { (.zero, 1) }

        /// Whether a window draws with cairo, which copies and converts each texture for each frame and knows no
        /// perspective.
        var isDrawnByCairo: () -> Bool = { false }

        /// How far it has come on the way from what it showed before; nil when it is there.
        var transition: (style: ViewTransition.Style, progress: Double)? {
            didSet {
                if transition == nil { old = nil }
                gdk_paintable_invalidate_contents(handle)
            }
        }

        private var picture: Picture?
        private var old: Picture?
        private var isDecodingMore = false

        init() {
            handle = PaintableType.makeInstance()
            PaintableType.setOwner(self, of: handle)
        }

        isolated deinit {
            PaintableType.setOwner(nil, of: handle)
            g_object_unref(UnsafeMutableRawPointer(handle))
        }

        /// Whether there is nothing to draw, nor to come from.
        var isEmpty: Bool { picture == nil && old == nil }

        /// What is drawn when nothing moves.
        var texture: Texture? { picture?.texture }

        /// The image's size in points; zero without one.
        var size: CGSize { (picture ?? old)?.image.size ?? .zero }

        /// Shows an image; nothing for nil, for one that is damaged, and for one with a side that GTK can't draw.
        func show(_ image: Image?) {
            let before = size
            picture = image.flatMap { image in
                (try? image.decodedPixels(covering: pixelsShown)).flatMap { Picture(image, $0) }
            }
            if size != before { gdk_paintable_invalidate_size(handle) }
            gdk_paintable_invalidate_contents(handle)
        }

        /// What is shown now is what the next image comes from.
        func keepAsOld() { old = picture }

        private var pixelsShown: PixelSize? {
            let (size, scale) = shownSize()
            return PixelSize(points: size, scale: scale)
        }

        // MARK: - Drawing

        /// Draws into a rectangle from the origin.
        func draw(on snapshot: OpaquePointer, width: Double, height: Double) {
            decodeMoreIfNeeded(width: width, height: height)
            guard let transition else { return append(picture, to: snapshot, width, height) }
            switch transition.style {
            case .none: append(old, to: snapshot, width, height)
            case .crossDissolve:
                // Without a clip, cairo mixes two pictures as large as the window.
                var bounds = graphene_rect_t()
                graphene_rect_init(&bounds, 0, 0, Float(width), Float(height))
                gtk_snapshot_push_clip(snapshot, &bounds)
                gtk_snapshot_push_cross_fade(snapshot, transition.progress)
                append(old, to: snapshot, width, height)
                gtk_snapshot_pop(snapshot)
                append(picture, to: snapshot, width, height)
                gtk_snapshot_pop(snapshot)
                gtk_snapshot_pop(snapshot)
            case .flipFromLeft, .flipFromRight, .flipFromTop, .flipFromBottom:
                flip(transition, on: snapshot, width, height)
            }
        }

        /// Turns the old picture away and then, from behind, the new one to the front.
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
            if isDrawnByCairo() {
                // What a turn looks like from far away.
                let narrow = abs(cos(turn * .pi / 180))
                let squeeze = isVertical ? CGSize(width: 1, height: narrow) : CGSize(width: narrow, height: 1)
                return append(picture, to: snapshot, width, height, squeeze: squeeze)
            }
            var axis = graphene_vec3_t()
            graphene_vec3_init(&axis, isVertical ? 1 : 0, isVertical ? 0 : 1, 0)
            var middle = graphene_point_t(x: Float(width / 2), y: Float(height / 2))
            var back = graphene_point_t(x: -middle.x, y: -middle.y)
            gtk_snapshot_save(snapshot)
            gtk_snapshot_translate(snapshot, &middle)
            gtk_snapshot_perspective(snapshot, Float(max(width, height) * 3))
            gtk_snapshot_rotate_3d(snapshot, Float(turn * sign), &axis)
            gtk_snapshot_translate(snapshot, &back)
            append(picture, to: snapshot, width, height)
            gtk_snapshot_restore(snapshot)
        }

        /// Fitted into the middle, where its shape is another one.
        private func append(
            _ picture: Picture?,
            to snapshot: OpaquePointer,
            _ width: Double,
            _ height: Double,
            squeeze: CGSize = CGSize(width: 1, height: 1)
        ) {
            guard let picture else { return }
            let size = picture.image.size
            let factor = min(width / size.width, height / size.height)
            var rect = graphene_rect_t()
            let isOwnShape = abs(size.width * factor - width) < 1 && abs(size.height * factor - height) < 1
            var shown =
                isOwnShape || picture.image === self.picture?.image
                ? (width, height) : (size.width * factor, size.height * factor)
            shown = (shown.0 * squeeze.width, shown.1 * squeeze.height)
            guard shown.0 > 0, shown.1 > 0 else { return }
            graphene_rect_init(
                &rect, Float((width - shown.0) / 2), Float((height - shown.1) / 2), Float(shown.0),
                Float(shown.1))
            if isDrawnByCairo() {
                picture.pixels.draw(on: snapshot, in: &rect)
            } else {
                gtk_snapshot_append_texture(snapshot, picture.texture.handle, &rect)
            }
        }

        /// Has more pixels decoded, on another thread, where fewer are there than are drawn.
        private func decodeMoreIfNeeded(width: Double, height: Double) {
            guard let picture, !isDecodingMore else { return }
            let scale = shownSize().1
            let have = picture.size
            guard have != picture.image.pixelSize,
                let wanted = PixelSize(points: CGSize(width: width, height: height), scale: scale),
                wanted.width > have.width + 1 || wanted.height > have.height + 1
            else { return }
            isDecodingMore = true
            picture.image.decode(covering: wanted) { [weak self] image, bitmap in
                guard let self else { return }
                isDecodingMore = false
                guard self.picture?.image === image, let more = bitmap.flatMap({ Picture(image, $0) }) else {
                    return
                }
                self.picture = more
                gdk_paintable_invalidate_contents(handle)
            }
        }
    }
#endif
