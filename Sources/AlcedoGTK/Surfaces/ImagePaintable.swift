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

        /// Told that an image which was awaited can't be drawn.
        var isBroken: () -> Void = {}

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

        /// An image whose pixels are on their way: it has its place already.
        private var awaited: Image?
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
        var isEmpty: Bool { picture == nil && old == nil && awaited == nil }

        /// What is drawn when nothing moves.
        var texture: Texture? { picture?.texture }

        /// The image's size in points; zero without one.
        var size: CGSize { (awaited ?? picture?.image ?? old?.image)?.size ?? .zero }

        /// Shows an image; nothing for nil, for one that is damaged, and for one with a side that GTK can't draw.
        ///
        /// One that has not been decoded is decoded on another thread; until then its place is empty.
        func show(_ image: Image?) {
            let before = size
            awaited = nil
            picture = nil
            if let image, let bitmap = image.pixels(covering: pixelsShown) {
                picture = Picture(image, bitmap)
            } else if let image {
                awaited = image
                image.decode(covering: pixelsShown) { [weak self] image, bitmap in
                    guard let self, awaited === image else { return }
                    awaited = nil
                    picture = bitmap.flatMap { Picture(image, $0) }
                    if picture == nil { isBroken() }
                    gdk_paintable_invalidate_contents(handle)
                }
            }
            if size != before { gdk_paintable_invalidate_size(handle) }
            gdk_paintable_invalidate_contents(handle)
        }

        /// What is shown now is what the next image comes from.
        func keepAsOld() { old = picture }

        private var pixelsShown: PixelSize? {
            let (size, scale) = shownSize()
            return PixelSize(covering: size, scale: scale)
        }

        // MARK: - Drawing

        /// Draws into a rectangle from the origin.
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

        /// Draws so much of the new picture, and the rest of the old one.
        private func mix(_ progress: Double, on snapshot: OpaquePointer, _ width: Double, _ height: Double) {
            if isDrawnByCairo() {
                let parts = [(old, 1 - progress), (picture, progress)].compactMap { picture, share in
                    picture.flatMap { picture in
                        place(of: picture, width, height).map { (picture.pixels, $0, share) }
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

        private func append(
            _ picture: Picture?,
            to snapshot: OpaquePointer,
            _ width: Double,
            _ height: Double,
            squeeze: CGSize = CGSize(width: 1, height: 1)
        ) {
            guard let picture, var rect = place(of: picture, width, height, squeeze: squeeze) else { return }
            if isDrawnByCairo() {
                picture.pixels.draw(on: snapshot, in: rect)
            } else {
                gtk_snapshot_append_texture(snapshot, picture.texture.handle, &rect)
            }
        }

        /// Fitted into the middle, where its shape is another one; nil if there is nothing to see of it.
        private func place(
            of picture: Picture,
            _ width: Double,
            _ height: Double,
            squeeze: CGSize = CGSize(width: 1, height: 1)
        ) -> graphene_rect_t? {
            let size = picture.image.size
            let factor = min(width / size.width, height / size.height)
            let isOwnShape = abs(size.width * factor - width) < 1 && abs(size.height * factor - height) < 1
            var shown =
                isOwnShape || picture.image === self.picture?.image
                ? (width, height) : (size.width * factor, size.height * factor)
            shown = (shown.0 * squeeze.width, shown.1 * squeeze.height)
            guard shown.0 > 0, shown.1 > 0 else { return nil }
            return Self.rect(shown.0, shown.1, x: (width - shown.0) / 2, y: (height - shown.1) / 2)
        }

        private static func rect(
            _ width: Double, _ height: Double, x: Double = 0, y: Double = 0
        ) -> graphene_rect_t {
            graphene_rect_t(
                origin: graphene_point_t(x: Float(x), y: Float(y)),
                size: graphene_size_t(width: Float(width), height: Float(height)))
        }

        /// Has more pixels decoded, on another thread, where fewer are there than are drawn.
        private func decodeMoreIfNeeded(width: Double, height: Double) {
            guard let picture, !isDecodingMore else { return }
            let scale = shownSize().1
            let have = picture.size
            guard have != picture.image.pixelSize,
                let wanted = PixelSize(covering: CGSize(width: width, height: height), scale: scale),
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
