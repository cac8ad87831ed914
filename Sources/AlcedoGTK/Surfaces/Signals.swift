#if GTK
    import CGtk4

    /// Signal connections of one object; `deinit` disconnects them.
    struct Signals: ~Copyable {
        typealias Handler = @convention(c) (gpointer?, gpointer?) -> Void
        typealias DetailHandler = @convention(c) (gpointer?, gpointer?, gpointer?) -> Void

        typealias PositionHandler = @convention(c) (gpointer?, guint, gpointer?) -> Void

        typealias ListHandler = @convention(c) (gpointer?, guint, guint, guint, gpointer?) -> Void

        typealias PointHandler = @convention(c) (gpointer?, Double, Double, gpointer?) -> Void

        typealias ScrollHandler = @convention(c) (gpointer?, Double, Double, gpointer?) -> gboolean

        typealias FactorHandler = @convention(c) (gpointer?, Double, gpointer?) -> Void

        typealias PressHandler = @convention(c) (gpointer?, gint, Double, Double, gpointer?) -> Void

        private let object: UnsafeMutableRawPointer
        private var handlers: [gulong] = []

        /// Creates connections of an object, which must outlive them.
        init(of object: UnsafeMutableRawPointer) { self.object = object }

        /// Calls `handler` with the object and `context`.
        mutating func connect(_ signal: String, _ context: gpointer?, _ handler: Handler) {
            // Safe because GLib calls it with the signal's arguments.
            add(signal, context, unsafeBitCast(handler, to: GCallback.self))
        }

        /// Calls `handler` with the object, the signal's argument, and `context`.
        mutating func connect(detailed signal: String, _ context: gpointer?, _ handler: DetailHandler) {
            // Safe because GLib calls it with the signal's arguments.
            add(signal, context, unsafeBitCast(handler, to: GCallback.self))
        }

        /// Calls `handler` with a list model, the position of a change, the numbers of removed and of added items, and
        /// `context`.
        mutating func connect(change signal: String, _ context: gpointer?, _ handler: ListHandler) {
            // Safe because GLib calls it with the signal's arguments.
            add(signal, context, unsafeBitCast(handler, to: GCallback.self))
        }

        /// Calls `handler` with the object, the signal's argument, and `owner`, which the object retains.
        static func connect(
            _ object: UnsafeMutableRawPointer, detailed signal: String, owner: AnyObject,
            _ handler: DetailHandler
        ) {
            // Safe because GLib calls it with the signal's arguments.
            connect(object, signal, owner, unsafeBitCast(handler, to: GCallback.self))
        }

        /// Calls `handler` with the object, the position that the signal is about, and `owner`, which the object retains.
        static func connect(
            _ object: UnsafeMutableRawPointer, position signal: String, owner: AnyObject,
            _ handler: PositionHandler
        ) {
            // Safe because GLib calls it with the signal's arguments.
            connect(object, signal, owner, unsafeBitCast(handler, to: GCallback.self))
        }

        /// Calls `handler` with the object, a point or a distance, and `owner`, which the object retains.
        static func connect(
            _ object: UnsafeMutableRawPointer, point signal: String, owner: AnyObject, _ handler: PointHandler
        ) {
            // Safe because GLib calls it with the signal's arguments.
            connect(object, signal, owner, unsafeBitCast(handler, to: GCallback.self))
        }

        /// Calls `handler` with a scroll controller, the distance, and `owner`, which the object retains.
        static func connect(
            _ object: UnsafeMutableRawPointer, scroll signal: String, owner: AnyObject,
            _ handler: ScrollHandler
        ) {
            // Safe because GLib calls it with the signal's arguments.
            connect(object, signal, owner, unsafeBitCast(handler, to: GCallback.self))
        }

        /// Calls `handler` with the object, a factor, and `owner`, which the object retains.
        static func connect(
            _ object: UnsafeMutableRawPointer, factor signal: String, owner: AnyObject,
            _ handler: FactorHandler
        ) {
            // Safe because GLib calls it with the signal's arguments.
            connect(object, signal, owner, unsafeBitCast(handler, to: GCallback.self))
        }

        /// Calls `handler` with a click gesture, the number of the press, its place, and `owner`, which the object retains.
        static func connect(
            _ object: UnsafeMutableRawPointer, press signal: String, owner: AnyObject, _ handler: PressHandler
        ) {
            // Safe because GLib calls it with the signal's arguments.
            connect(object, signal, owner, unsafeBitCast(handler, to: GCallback.self))
        }

        private static func connect(
            _ object: UnsafeMutableRawPointer, _ signal: String, _ owner: AnyObject, _ callback: GCallback
        ) {
            g_signal_connect_data(
                object, signal, callback, Unmanaged.passRetained(owner).toOpaque(),
                { context, _ in if let context { Unmanaged<AnyObject>.fromOpaque(context).release() } },
                GConnectFlags(rawValue: 0))
        }

        /// Calls `handler` with the object and the signal's argument, as long as the object lives.
        static func connect(
            _ object: UnsafeMutableRawPointer, detailed signal: String, _ handler: DetailHandler
        ) {
            // Safe because GLib calls it with the signal's arguments.
            let callback = unsafeBitCast(handler, to: GCallback.self)
            g_signal_connect_data(object, signal, callback, nil, nil, GConnectFlags(rawValue: 0))
        }

        private mutating func add(_ signal: String, _ context: gpointer?, _ callback: GCallback) {
            handlers.append(
                g_signal_connect_data(object, signal, callback, context, nil, GConnectFlags(rawValue: 0)))
        }

        deinit { for handler in handlers { g_signal_handler_disconnect(object, handler) } }
    }
#endif
