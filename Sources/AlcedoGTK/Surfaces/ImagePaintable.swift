#if GTK
    import Alcedo
    import CGtk4
    import Foundation

    /// A `GdkPaintable` that draws an image, decoded at the size at which it is drawn, and the transition from the previous image.
    ///
    /// Nothing is decoded before that size is known. After a change of it, the present bitmap is drawn at the new size until
    /// another one is decoded.
    @MainActor
    final class ImagePaintable: PaintableContent {
        @MainActor
        private struct Picture {
            let image: Image
            let screen: ScreenBitmap
            let size: PixelSize
            var texture: Texture { screen.texture }
            var pixels: CairoPixels { screen.pixels }

            /// Nil for a side that GTK cannot draw.
            init?(_ image: Image, _ bitmap: Bitmap) {
                guard let screen = ScreenBitmap.shared(of: bitmap) else { return nil }
                (self.image, self.screen, size) = (image, screen, bitmap.size)
            }
        }

        /// The `GdkPaintable`; valid for the lifetime of this object.
        let handle: OpaquePointer

        /// Returns the view's size in points, zero before layout, and the pixels per point.
        var displaySize: () -> (CGSize, CGFloat) = { (.zero, 1) }

        /// How the image is fitted to the view.
        var contentMode = KFCrossPlatformView.ContentMode.scaleAspectFit

        /// Called while the image is drawn, if the view has another size, scale or content mode than before.
        var drawnSizeChanged: () -> Void = {}

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

        /// The image that has no bitmap yet; the paintable already has its size.
        private var pending: Image?

        /// The image that is loaded into a view without a size, which gets that of the image.
        private weak var expected: Image?

        /// Whether a bitmap of the present image is being decoded.
        private(set) var isDecoding = false

        /// The size of the last bitmap that was requested for the present image; nil before the first one.
        private var requested: PixelSize?

        /// The number of images that were shown; bitmaps of earlier ones are ignored.
        private var shown = 0

        /// For how large an area was drawn last.
        private var lastDrawing: (size: CGSize, scale: CGFloat, mode: KFCrossPlatformView.ContentMode)?

        override init() {
            handle = PaintableType.makeInstance()
            super.init()
            PaintableType.setOwner(self, of: handle)
        }

        isolated deinit {
            PaintableType.setOwner(nil, of: handle)
            g_object_unref(UnsafeMutableRawPointer(handle))
        }

        /// Whether there is neither an image nor a previous image of a transition.
        var isEmpty: Bool { picture == nil && old == nil && pending == nil && expected == nil }

        override var texture: Texture? { picture?.texture }

        /// The image's size in points; zero without an image.
        override var intrinsicSize: CGSize {
            (pending ?? picture?.image ?? old?.image ?? expected)?.size ?? .zero
        }

        /// Shows an image; nothing for nil, a damaged image, or a side that GTK cannot draw.
        ///
        /// An image that is not decoded is decoded on a worker thread; until then its area is empty. The bitmap of a `frame` of
        /// an animation is drawn as it is, because the next one follows soon.
        func show(_ image: Image?, isFrame: Bool = false) {
            let before = intrinsicSize
            (pending, picture, expected, requested, isDecoding) = (nil, nil, nil, nil, false)
            shown += 1
            if let image {
                let needed = drawnSize(of: image)
                if let bitmap = image.pixels(drawnAt: needed) {
                    picture = Picture(image, bitmap)
                    if isFrame { requested = needed.map(image.decodedSize) }
                } else {
                    pending = image
                    if let needed { decode(image, drawnAt: needed) }
                }
            }
            if intrinsicSize != before { gdk_paintable_invalidate_size(handle) }
            gdk_paintable_invalidate_contents(handle)
        }

        /// Has the size of an image that is shown later, if there is none now.
        func expect(_ image: Image) {
            let before = intrinsicSize
            expected = image
            if intrinsicSize != before { gdk_paintable_invalidate_size(handle) }
        }

        /// Keeps the present image as the start of the next transition.
        func keepForTransition() { old = picture }

        private func drawnSize(of image: Image) -> PixelSize? {
            let (size, scale) = displaySize()
            return contentMode.drawnSize(of: image.size, in: size, scale: scale)
        }

        // MARK: - Decoding

        private func decode(_ image: Image, drawnAt size: PixelSize) {
            isDecoding = true
            requested = image.decodedSize(drawnAt: size)
            image.decode(drawnAt: size) { [weak self, shown] image, bitmap in
                guard let self, shown == self.shown else { return }
                isDecoding = false
                let isFirst = pending.take() != nil
                if let decoded = bitmap.flatMap({ Picture(image, $0) }) {
                    picture = decoded
                } else if isFirst {
                    decodingFailed()
                }
                gdk_paintable_invalidate_contents(handle)
            }
        }

        /// Decodes on a worker thread, if the bitmap has not exactly the pixels that are drawn, with the size of the view; for one
        /// without a size, with the drawn one.
        private func decodeIfNeeded(drawing points: CGSize) {
            let (view, scale) = displaySize()
            let drawing = (view, scale, contentMode)
            if lastDrawing.map({ $0 != drawing }) ?? true { drawnSizeChanged() }
            lastDrawing = drawing
            guard let image = pending ?? picture?.image, !isDecoding,
                let needed = drawnSize(of: image) ?? PixelSize(drawing: points, in: points, scale: scale)
            else { return }
            if pending != nil, let bitmap = image.pixels(drawnAt: needed) {
                picture = Picture(image, bitmap)
                pending = nil
                if picture == nil { decodingFailed() }
            }
            let wanted = image.decodedSize(drawnAt: needed)
            if wanted != picture?.size, wanted != requested { decode(image, drawnAt: needed) }
        }

        // MARK: - Drawing

        override func draw(on snapshot: OpaquePointer, width: Double, height: Double) {
            decodeIfNeeded(drawing: CGSize(width: width, height: height))
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
            let (view, scale) = displaySize()
            if squeeze == CGSize(width: 1, height: 1), fitted == (width, height),
                picture.size
                    == PixelSize(drawing: CGSize(width: width, height: height), in: view, scale: scale)
            {
                // Each pixel of the bitmap is one of the screen's.
                let exact = picture.size.points(scale: scale)
                return Self.rect(exact.width, exact.height)
            }
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
    }
#endif
