#if GTK
    package import CGtk4

    /// Calls `action` at a signal without arguments, for the lifetime of the object.
    @MainActor
    package func onSignal(_ name: String, of object: Widget, _ action: @escaping @MainActor () -> Void) {
        onSignal(name, of: OpaquePointer(object), action)
    }

    /// Calls `action` at a signal without arguments, for the lifetime of the object.
    @MainActor
    package func onSignal(_ name: String, of object: OpaquePointer, _ action: @escaping @MainActor () -> Void)
    {
        let handler: @convention(c) (gpointer?, gpointer?) -> Void = { _, context in
            Action<Void>.call((), context)
        }
        // Safe because GLib calls it with the signal's arguments.
        connect(name, object, unsafeBitCast(handler, to: GCallback.self), Action<Void> { action() })
    }

    /// Calls `action` at a signal with an object as its argument, for the lifetime of the sender.
    @MainActor
    package func onSignal(
        _ name: String, of object: Widget, _ action: @escaping @MainActor (gpointer?) -> Void
    ) {
        onSignal(name, of: OpaquePointer(object), action)
    }

    /// Calls `action` at a signal with an object as its argument, for the lifetime of the sender.
    @MainActor
    package func onSignal(
        _ name: String, of object: OpaquePointer, _ action: @escaping @MainActor (gpointer?) -> Void
    ) {
        let handler: @convention(c) (gpointer?, gpointer?, gpointer?) -> Void = { _, detail, context in
            Action<gpointer?>.call(detail, context)
        }
        // Safe because GLib calls it with the signal's arguments.
        connect(name, object, unsafeBitCast(handler, to: GCallback.self), Action(action))
    }

    /// Calls `action` at a signal with a list position as its argument, for the lifetime of the list.
    @MainActor
    package func onPosition(_ name: String, of object: Widget, _ action: @escaping @MainActor (Int) -> Void) {
        let handler: @convention(c) (gpointer?, guint, gpointer?) -> Void = { _, position, context in
            Action<Int>.call(Int(position), context)
        }
        // Safe because GLib calls it with the signal's arguments.
        let callback = unsafeBitCast(handler, to: GCallback.self)
        connect(name, OpaquePointer(object), callback, Action(action))
    }

    /// Calls `action` before a window is closed, which it prevents by returning false.
    @MainActor
    package func onCloseRequest(of window: Widget, _ action: @escaping @MainActor () -> Bool) {
        let handler: @convention(c) (gpointer?, gpointer?) -> gboolean = { _, context in
            guard let context else { return 0 }
            let request = Unmanaged<CloseRequest>.fromOpaque(context).takeUnretainedValue()
            return MainActor.assumeIsolated { request.action() } ? 0 : 1
        }
        // Safe because GLib calls it with the signal's arguments.
        let callback = unsafeBitCast(handler, to: GCallback.self)
        connect("close-request", OpaquePointer(window), callback, CloseRequest(action))
    }

    @MainActor
    private final class CloseRequest {
        let action: @MainActor () -> Bool

        init(_ action: @escaping @MainActor () -> Bool) { self.action = action }
    }

    /// Calls `action` with what is dropped on a widget, of one of some types.
    @MainActor
    package func onDrop(
        of types: [GType], on widget: Widget, _ action: @escaping @MainActor (UnsafePointer<GValue>) -> Void
    ) {
        let target = gtk_drop_target_new(0, GDK_ACTION_COPY)
        var types = types
        gtk_drop_target_set_gtypes(target, &types, gsize(types.count))
        let handler:
            @convention(c) (gpointer?, UnsafePointer<GValue>?, Double, Double, gpointer?) -> gboolean =
                { _, value, _, _, context in
                    guard let value else { return 0 }
                    Action<UnsafePointer<GValue>>.call(value, context)
                    return 1
                }
        guard let target else { return }
        // Safe because GLib calls it with the signal's arguments.
        connect("drop", target, unsafeBitCast(handler, to: GCallback.self), Action(action))
        gtk_widget_add_controller(widget, target)
    }

    /// Calls `action` before each frame of the display, with the frame's time in microseconds, until it returns
    /// false.
    @MainActor
    package func onFrame(of widget: Widget, _ action: @escaping @MainActor (gint64) -> Bool) {
        gtk_widget_add_tick_callback(
            widget,
            { _, clock, context in
                let time = gdk_frame_clock_get_frame_time(clock)
                return Frame.call(time, context) ? 1 : 0
            },
            Unmanaged.passRetained(Frame(action)).toOpaque(),
            { context in if let context { Unmanaged<Frame>.fromOpaque(context).release() } }
        )
    }

    /// A boxed closure for a C callback.
    @MainActor
    private final class Action<Detail> {
        private let action: @MainActor (Detail) -> Void

        init(_ action: @escaping @MainActor (Detail) -> Void) { self.action = action }

        nonisolated static func call(_ detail: Detail, _ context: gpointer?) {
            guard let context else { return }
            let action = Unmanaged<Action<Detail>>.fromOpaque(context).takeUnretainedValue()
            // Safe because GTK calls it on the main thread only.
            nonisolated(unsafe) let detail = detail
            MainActor.assumeIsolated { action.action(detail) }
        }
    }

    /// A boxed closure for a frame clock.
    @MainActor
    private final class Frame {
        private let action: @MainActor (gint64) -> Bool

        init(_ action: @escaping @MainActor (gint64) -> Bool) { self.action = action }

        nonisolated static func call(_ time: gint64, _ context: gpointer?) -> Bool {
            guard let context else { return false }
            let frame = Unmanaged<Frame>.fromOpaque(context).takeUnretainedValue()
            return MainActor.assumeIsolated { frame.action(time) }
        }
    }

    @MainActor
    private func connect(
        _ name: String, _ object: OpaquePointer, _ handler: GCallback, _ action: AnyObject
    ) {
        g_signal_connect_data(
            UnsafeMutableRawPointer(object), name, handler, Unmanaged.passRetained(action).toOpaque(),
            { context, _ in if let context { Unmanaged<AnyObject>.fromOpaque(context).release() } },
            GConnectFlags(rawValue: 0)
        )
    }
#endif
