#if GTK
    import Alcedo
    import CGtk4
    import Foundation

    /// The widget of a ``PhotoView``, and what users do with it.
    @MainActor
    final class PhotoSurface: WidgetSurface {
        private let paintable: PhotoPaintable
        private var tick: guint = 0

        init(_ paintable: PhotoPaintable) {
            self.paintable = paintable
            guard let picture = gtk_picture_new_for_paintable(paintable.handle) else {
                preconditionFailure("gtk_picture_new_for_paintable failed")
            }
            super.init(content: picture, hasOverlay: false)
            gtk_picture_set_content_fit(OpaquePointer(picture), GTK_CONTENT_FIT_FILL)
            gtk_widget_set_hexpand(picture, 1)
            gtk_widget_set_vexpand(picture, 1)
            gtk_widget_set_focusable(picture, 1)
            paintable.surface = self
        }

        /// Connects the controllers of the widget, which live as long as it does.
        func connectInput(to view: PhotoView) {
            let input = PhotoInput(view)
            addPointer(input)
            addGestures(input)
            addKeys(view)
        }

        private func add(_ controller: OpaquePointer?) -> UnsafeMutableRawPointer {
            guard let controller else { preconditionFailure("GTK made no controller") }
            gtk_widget_add_controller(content, controller)
            return UnsafeMutableRawPointer(controller)
        }

        private func addPointer(_ input: PhotoInput) {
            let motion = add(gtk_event_controller_motion_new())
            for signal in ["enter", "motion"] {
                Signals.connect(motion, point: signal, owner: input) { _, x, y, input in
                    PhotoInput.with(input) { $0.pointer = CGPoint(x: x, y: y) }
                }
            }
            let flags =
                GTK_EVENT_CONTROLLER_SCROLL_BOTH_AXES.rawValue | GTK_EVENT_CONTROLLER_SCROLL_KINETIC.rawValue
            let scroll = add(
                gtk_event_controller_scroll_new(GtkEventControllerScrollFlags(rawValue: flags)))
            Signals.connect(scroll, scroll: "scroll", owner: input) { controller, x, y, input in
                let controller = controller.map { OpaquePointer($0) }
                let state = gtk_event_controller_get_current_event_state(controller)
                let isWheel = gtk_event_controller_scroll_get_unit(controller) == GDK_SCROLL_UNIT_WHEEL
                let zooms = isWheel || state.rawValue & GDK_CONTROL_MASK.rawValue != 0
                PhotoInput.with(input) { $0.scroll(x, y, zooms: zooms, isWheel: isWheel) }
                return 1
            }
            Signals.connect(scroll, point: "decelerate", owner: input) { _, x, y, input in
                PhotoInput.with(input) { $0.glide(-x, -y) }
            }
        }

        private func addGestures(_ input: PhotoInput) {
            let drag = add(gtk_gesture_drag_new())
            Signals.connect(drag, point: "drag-begin", owner: input) { _, _, _, input in
                PhotoInput.with(input) { $0.startDrag() }
            }
            Signals.connect(drag, point: "drag-update", owner: input) { _, x, y, input in
                PhotoInput.with(input) { $0.drag(to: x, y) }
            }
            let swipe = gtk_gesture_swipe_new()
            gtk_gesture_single_set_touch_only(swipe, 1)
            Signals.connect(add(swipe), point: "swipe", owner: input) { _, x, y, input in
                PhotoInput.with(input) { $0.glide(x, y) }
            }
            let pinch = add(gtk_gesture_zoom_new())
            Signals.connect(pinch, detailed: "begin", owner: input) { _, _, input in
                PhotoInput.with(input) { $0.startPinch() }
            }
            Signals.connect(pinch, factor: "scale-changed", owner: input) { gesture, factor, input in
                var (x, y) = (0.0, 0.0)
                let hasCenter =
                    gtk_gesture_get_bounding_box_center(
                        gesture.map { OpaquePointer($0) }, &x, &y) != 0
                let center = hasCenter ? CGPoint(x: x, y: y) : nil
                PhotoInput.with(input) { $0.pinch(to: factor, about: center) }
            }
            Signals.connect(add(gtk_gesture_click_new()), press: "pressed", owner: input) {
                _, count, x, y, input in
                PhotoInput.with(input) { $0.press(count, at: CGPoint(x: x, y: y)) }
            }
        }

        private func addKeys(_ view: PhotoView) {
            let controller = add(gtk_shortcut_controller_new())
            for key in PhotoKey.all {
                let action = gtk_callback_action_new(
                    { _, _, context in
                        guard let context else { return 0 }
                        let key = Unmanaged<BoundPhotoKey>.fromOpaque(context).takeUnretainedValue()
                        MainActor.assumeIsolated { key.press() }
                        return 1
                    },
                    Unmanaged.passRetained(BoundPhotoKey(key, view)).toOpaque(),
                    { context in if let context { Unmanaged<BoundPhotoKey>.fromOpaque(context).release() } })
                gtk_shortcut_controller_add_shortcut(
                    OpaquePointer(controller),
                    gtk_shortcut_new(gtk_shortcut_trigger_parse_string(key.trigger), action))
            }
        }

        // MARK: - Gliding

        /// Goes on moving the picture at a velocity in points per second, and slows down.
        func glide(from velocity: CGPoint) {
            stopGliding()
            guard allowsAnimations else { return }
            let context = Unmanaged.passRetained(Glide(paintable, velocity)).toOpaque()
            tick = gtk_widget_add_tick_callback(
                content,
                { _, clock, context in
                    guard let context else { return 0 }
                    let time = Double(gdk_frame_clock_get_frame_time(clock)) / 1_000_000
                    let glide = Unmanaged<Glide>.fromOpaque(context).takeUnretainedValue()
                    return MainActor.assumeIsolated { glide.step(to: time) } ? 1 : 0
                },
                context,
                { context in if let context { Unmanaged<Glide>.fromOpaque(context).release() } })
        }

        func stopGliding() {
            // A callback that has ended is not known to GTK any more.
            if tick != 0, paintable.isGliding { gtk_widget_remove_tick_callback(content, tick) }
            (tick, paintable.isGliding) = (0, false)
        }
    }

    /// A movement that slows down.
    @MainActor
    private final class Glide {
        private let paintable: PhotoPaintable
        private var velocity: CGPoint
        private var lastTime: Double?

        init(_ paintable: PhotoPaintable, _ velocity: CGPoint) {
            (self.paintable, self.velocity) = (paintable, velocity)
            paintable.isGliding = true
        }

        /// Moves to a time in seconds; false at the end.
        func step(to time: Double) -> Bool {
            let passed = time - (lastTime ?? time)
            lastTime = time
            paintable.change { $0.pan(by: velocity.x * passed, velocity.y * passed) }
            // GTK's own lists slow down at this rate.
            let friction = exp(-4 * passed)
            velocity = CGPoint(x: velocity.x * friction, y: velocity.y * friction)
            let goesOn = hypot(velocity.x, velocity.y) > 10
            if !goesOn { paintable.isGliding = false }
            return goesOn
        }
    }
#endif
