#if GTK
    import CGtk4
    import Foundation

    /// The main queue in a program whose main loop is GLib's.
    public enum MainQueue {
        /// Has GLib's main loop do what is sent to `DispatchQueue.main` and to the main actor.
        ///
        /// Without it nothing of that ever runs in such a program: no callback on the main queue, which is where
        /// Alcedo's go by default, and no `Task` of the main actor. The first ``ImageView`` calls it; a program without
        /// one does so itself before it runs the main loop. Calling it again does nothing, and so does calling it on a
        /// thread other than the main one, where another main loop is at work.
        @MainActor
        public static func runUnderGLib() {
            guard !isAttached, Thread.isMainThread else { return }
            isAttached = true
            let readable = GIOCondition(rawValue: G_IO_IN.rawValue)
            g_unix_fd_add(
                _dispatch_get_main_queue_handle_4CF(), readable,
                { descriptor, _, _ in
                    // The descriptor is an eventfd: unread it stays readable, and the main loop never waits or draws again.
                    var wakeUps: UInt64 = 0
                    _ = read(descriptor, &wakeUps, MemoryLayout.size(ofValue: wakeUps))
                    _dispatch_main_queue_callback_4CF(nil)
                    return 1
                },
                nil
            )
        }

        @MainActor private static var isAttached = false
    }
#endif
