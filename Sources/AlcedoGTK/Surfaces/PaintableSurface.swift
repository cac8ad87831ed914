#if GTK
    import Alcedo
    import CGtk4
    import Foundation

    /// The surface of a view without a widget: a `GdkPaintable`, which may be drawn in several places.
    ///
    /// It has a bitmap of its own for each size at which it is drawn. It counts as visible while it is drawn after its changes.
    @MainActor
    final class PaintableSurface: PaintableContent, DrawingSurface {
        /// One or more places of the same size.
        private struct Place {
            let size: CGSize
            var lastDrawn: ContinuousClock.Instant
            var bitmap: ScreenBitmap?

            /// The size in pixels at which the image could not be decoded.
            var failed: PixelSize?
        }

        /// The `GdkPaintable`; nil after its end.
        var paintable: OpaquePointer?

        var visibilityChanged: (@MainActor (Bool) -> Void)?
        var drawnSizeChanged: (@MainActor () -> Void)?
        var animationsSettingChanged: (@MainActor () -> Void)?

        private let placeholder: OpaquePointer?

        /// The intrinsic size in points; nil for that of the image.
        private let fixedSize: CGSize?

        /// Whether all is drawn in the ellipse that fits the area.
        private let isRound: Bool

        private let settings: OpaquePointer?
        private var settingsSignals: Signals?
        private var mode = KFCrossPlatformView.ContentMode.scaleAspectFit
        private var image: Image?

        /// The present frame of an animation, drawn at any size.
        private var frame: ScreenBitmap?

        /// The image that is loaded, whose size the paintable has already.
        private weak var expected: Image?

        private var places: [Place] = []
        private var isDecoding = false
        private var isRemovingPlaces = false

        /// The number of images that were shown; bitmaps of earlier ones are ignored.
        private var shown = 0

        private var lastChange = ContinuousClock.now

        /// When the first change happened that was not drawn.
        private var undrawn: ContinuousClock.Instant?

        private(set) var isVisible = false

        init(placeholder: OpaquePointer?, size: CGSize? = nil, isRound: Bool = false) {
            self.placeholder = placeholder
            fixedSize = size
            self.isRound = isRound
            settings = gdk_display_get_default().flatMap { gtk_settings_get_for_display($0) }
            super.init()
            if let placeholder { g_object_ref(UnsafeMutableRawPointer(placeholder)) }
            guard let settings else { return }
            // They end with their display.
            g_object_ref(UnsafeMutableRawPointer(settings))
            var signals = Signals(of: UnsafeMutableRawPointer(settings))
            signals.connect(
                detailed: "notify::gtk-enable-animations", Unmanaged.passUnretained(self).toOpaque()
            ) { _, _, context in
                guard let context else { return }
                let surface = Unmanaged<PaintableSurface>.fromOpaque(context).takeUnretainedValue()
                MainActor.assumeIsolated { surface.animationsSettingChanged?() }
            }
            settingsSignals = consume signals
        }

        isolated deinit {
            settingsSignals = nil
            if let settings { g_object_unref(UnsafeMutableRawPointer(settings)) }
            if let placeholder { g_object_unref(UnsafeMutableRawPointer(placeholder)) }
        }

        /// The paintable has ended.
        func end() {
            paintable = nil
            setVisible(false)
        }

        // MARK: - What a view sets

        func show(_ image: KFCrossPlatformImage?) { set(image, frame: nil) }

        func show(frame image: Image) {
            let bitmap = image.pixels(drawnAt: drawnSize(of: image)) ?? image.pixels(drawnAt: nil)
            set(image, frame: bitmap.flatMap { ScreenBitmap.shared(of: $0) })
            if let undrawn, ContinuousClock.now - undrawn > .milliseconds(500) { setVisible(false) }
        }

        private func set(_ image: Image?, frame: ScreenBitmap?) {
            let before = intrinsicSize
            (self.image, self.frame, expected, isDecoding) = (image, frame, nil, false)
            shown += 1
            for index in places.indices { (places[index].bitmap, places[index].failed) = (nil, nil) }
            invalidate(changingSizeFrom: before)
        }

        func setContentMode(_ mode: KFCrossPlatformView.ContentMode) {
            self.mode = mode
            invalidate(changingSizeFrom: intrinsicSize)
        }

        /// The size in points at the largest place; zero before it is drawn.
        var size: CGSize {
            places.map(\.size).max { $0.width * $0.height < $1.width * $1.height } ?? .zero
        }

        /// The highest of the display's screens.
        var scale: CGFloat {
            guard let display = gdk_display_get_default(), let monitors = gdk_display_get_monitors(display)
            else { return 1 }
            return (0..<g_list_model_get_n_items(monitors)).reduce(1) { scale, index in
                guard let monitor = g_list_model_get_item(monitors, index) else { return scale }
                defer { g_object_unref(monitor) }
                let exact = monitor.double(property: "scale").map { CGFloat($0) }
                return max(scale, exact ?? CGFloat(gdk_monitor_get_scale_factor(OpaquePointer(monitor))))
            }
        }

        /// An image changes the layout if it has another size than what was there; what draws it then decodes it.
        func measure(_ image: Image, then body: @escaping @MainActor (PixelSize?) -> Void) {
            let before = intrinsicSize
            if fixedSize ?? image.size == before, let size = drawnSize(of: image) { return body(size) }
            expected = image
            invalidate(changingSizeFrom: before)
            body(nil)
        }

        private func drawnSize(of image: Image) -> PixelSize? {
            mode.drawnSize(of: image.size, in: size, scale: scale)
        }

        var allowsAnimations: Bool { settings.map(animationsAreAllowed) ?? true }

        private func setVisible(_ isVisible: Bool) {
            guard isVisible != self.isVisible else { return }
            self.isVisible = isVisible
            // Later, because the paintable may be drawing.
            Task { visibilityChanged?(self.isVisible) }
        }

        // MARK: - Drawing

        /// The fixed size, the image's in points, or the placeholder's; zero for none.
        override var intrinsicSize: CGSize {
            if let fixedSize { return fixedSize }
            if let size = (image ?? expected)?.size { return size }
            guard let placeholder else { return .zero }
            return CGSize(
                width: Int(gdk_paintable_get_intrinsic_width(placeholder)),
                height: Int(gdk_paintable_get_intrinsic_height(placeholder)))
        }

        override var texture: Texture? {
            (frame ?? places.compactMap(\.bitmap).max { $0.size.width < $1.size.width })?.texture
        }

        override func draw(on snapshot: OpaquePointer, width: Double, height: Double) {
            guard width > 0, height > 0 else { return }
            undrawn = nil
            setVisible(true)
            let area = CGSize(width: width, height: height)
            let place = place(of: area)
            let scale = scale
            guard let image, let needed = mode.drawnSize(of: image.size, in: area, scale: scale),
                let bitmap = frame ?? bitmap(of: image, drawnAt: needed, for: place)
            else { return drawPlaceholder(on: snapshot, in: area) }
            append(bitmap, to: snapshot, size: needed.points(scale: scale), in: area, scale: scale)
        }

        /// The index of the places of a size.
        private func place(of area: CGSize) -> Int {
            if let index = places.firstIndex(where: { $0.size == area }) {
                places[index].lastDrawn = .now
                return index
            }
            let largest = size
            places.append(Place(size: area, lastDrawn: .now))
            if size != largest { drawnSizeChanged?() }
            removeUndrawnPlaces()
            return places.count - 1
        }

        /// Removes places that don't draw the present state, with their bitmaps, when others had the time to draw it.
        private func removeUndrawnPlaces() {
            guard !isRemovingPlaces, places.count > 1 else { return }
            isRemovingPlaces = true
            Task { [weak self] in
                try? await Task.sleep(for: .seconds(1))
                guard let self else { return }
                isRemovingPlaces = false
                let (largest, limit) = (size, min(lastChange, .now - .milliseconds(500)))
                places.removeAll { $0.lastDrawn < limit }
                if size != largest { drawnSizeChanged?() }
            }
        }

        /// The bitmap with the pixels to draw, or another one until it is decoded.
        private func bitmap(of image: Image, drawnAt size: PixelSize, for place: Int) -> ScreenBitmap? {
            let wanted = image.decodedSize(drawnAt: size)
            if places[place].bitmap?.size != wanted, let bitmap = image.pixels(drawnAt: size) {
                places[place].bitmap = ScreenBitmap.shared(of: bitmap)
            }
            if places[place].bitmap?.size != wanted, places[place].failed != wanted, !isDecoding {
                decode(image, drawnAt: size, for: places[place].size)
            }
            return places[place].bitmap ?? places.compactMap(\.bitmap).max { $0.size.width < $1.size.width }
        }

        private func decode(_ image: Image, drawnAt size: PixelSize, for area: CGSize) {
            isDecoding = true
            image.decode(drawnAt: size) { [weak self, shown] image, bitmap in
                guard let self, shown == self.shown else { return }
                isDecoding = false
                if let index = places.firstIndex(where: { $0.size == area }) {
                    places[index].bitmap = bitmap.flatMap { ScreenBitmap.shared(of: $0) }
                    let hasFailed = places[index].bitmap == nil
                    places[index].failed = hasFailed ? image.decodedSize(drawnAt: size) : nil
                }
                // Only one size is decoded at a time: places of other sizes start theirs when they are drawn again.
                removeUndrawnPlaces()
                invalidate(changingSizeFrom: intrinsicSize)
            }
        }

        private func invalidate(changingSizeFrom before: CGSize) {
            lastChange = .now
            undrawn = undrawn ?? lastChange
            if let paintable, intrinsicSize != before { gdk_paintable_invalidate_size(paintable) }
            if let paintable { gdk_paintable_invalidate_contents(paintable) }
        }

        /// Draws in the middle, from a pixel's edge on, and clips what is larger than the area.
        private func append(
            _ bitmap: ScreenBitmap, to snapshot: OpaquePointer, size: CGSize, in area: CGSize, scale: CGFloat
        ) {
            func start(_ size: CGFloat, _ area: CGFloat) -> Float {
                Float(((area - size) / 2 * scale).rounded() / scale)
            }
            var bounds = graphene_rect_t()
            graphene_rect_init(&bounds, 0, 0, Float(area.width), Float(area.height))
            var rect = graphene_rect_t()
            graphene_rect_init(
                &rect, start(size.width, area.width), start(size.height, area.height), Float(size.width),
                Float(size.height))
            if isRound {
                var ellipse = GskRoundedRect()
                var corner = graphene_size_t(width: Float(area.width / 2), height: Float(area.height / 2))
                gsk_rounded_rect_init(&ellipse, &bounds, &corner, &corner, &corner, &corner)
                gtk_snapshot_push_rounded_clip(snapshot, &ellipse)
            } else {
                gtk_snapshot_push_clip(snapshot, &bounds)
            }
            gtk_snapshot_append_texture(snapshot, bitmap.texture.handle, &rect)
            gtk_snapshot_pop(snapshot)
        }

        /// Draws the placeholder in the middle, no larger than it is.
        private func drawPlaceholder(on snapshot: OpaquePointer, in area: CGSize) {
            guard let placeholder else { return }
            var (width, height) = (0.0, 0.0)
            gdk_paintable_compute_concrete_size(
                placeholder, 0, 0, area.width, area.height, &width, &height)
            let factor = min(1, area.width / max(1, width), area.height / max(1, height))
            (width, height) = (width * factor, height * factor)
            var origin = graphene_point_t(
                x: Float((area.width - width) / 2), y: Float((area.height - height) / 2))
            gtk_snapshot_save(snapshot)
            gtk_snapshot_translate(snapshot, &origin)
            gdk_paintable_snapshot(placeholder, snapshot, width, height)
            gtk_snapshot_restore(snapshot)
        }

        // MARK: - What only widgets have

        func showBackground(_ image: KFCrossPlatformImage?) {}
        func setHidden(_ isHidden: Bool) {}
        func add(_ child: any ViewSurface, size: IndicatorSizeStrategy, centerOffset: CGPoint) {}
        func remove(_ child: any ViewSurface) {}
        func makeImageSurface() -> any ViewSurface { PaintableSurface(placeholder: nil) }
        func makeActivitySurface() -> any ActivitySurface { SpinnerSurface() }

        func transition(
            _ transition: ViewTransition, changes: () -> Void, completion: @escaping @MainActor (Bool) -> Void
        ) {
            changes()
            completion(true)
        }
    }
#endif
