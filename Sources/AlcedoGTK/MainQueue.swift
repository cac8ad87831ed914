#if GTK
    import Alcedo
    import AlcedoLocks
    import CGtk4
    import Foundation

    /// The main queue in a program that runs GLib's main loop.
    public enum MainQueue {
        /// Makes GLib's main loop run the blocks of `DispatchQueue.main` and the tasks of the main actor.
        ///
        /// Without it, such a program never runs callbacks on the main queue, the default queue of Alcedo's
        /// callbacks, and tasks of the main actor. The first `ImageView` calls it; a program without views calls
        /// it before it runs the main loop. From then on, threads that decode have a niceness of 5 more, so
        /// that they delay frames less. Later calls, and calls on other threads than the main thread, do nothing.
        ///
        /// The blocks that are queued run between events and frames; those that they queue run after the next frame.
        @MainActor
        public static func runUnderGLib() {
            // Of any thread: a program that runs the queue itself has a desktop as well.
            DesktopNetwork.isConstrained = { NetworkMonitor.isConstrained() }
            guard !isAttached, Thread.isMainThread else { return }
            isAttached = true
            WorkerPool.yieldToMainLoop()
            let readable = GIOCondition(rawValue: G_IO_IN.rawValue)
            g_unix_fd_add_full(
                priority, _dispatch_get_main_queue_handle_4CF(), readable,
                { descriptor, _, _ in
                    // The descriptor is an eventfd: unless it is read, it stays readable and the main loop spins
                    // without drawing.
                    var wakeUps: UInt64 = 0
                    _ = read(descriptor, &wakeUps, MemoryLayout.size(ofValue: wakeUps))
                    _dispatch_main_queue_callback_4CF(nil)
                    // G_SOURCE_CONTINUE
                    return 1
                },
                nil, nil
            )
        }

        /// That of drawing: GLib then does both in turns, so that blocks that queue further blocks leave time for frames.
        static let priority = gint(GDK_PRIORITY_REDRAW)

        @MainActor private static var isAttached = false
    }
#endif
