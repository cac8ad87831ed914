#if GTK
    import CGtk4

    /// GIO's view of the network, from the desktop's settings and the system's routes.
    enum NetworkMonitor {
        /// Whether the network is metered, or there is none.
        ///
        /// The first call may block on D-Bus. Not for a thread with a main context of its own: if that one calls first,
        /// GIO receives changes only while that context runs.
        static func isConstrained() -> Bool {
            let monitor = g_network_monitor_get_default()
            return g_network_monitor_get_network_metered(monitor) != 0
                || g_network_monitor_get_network_available(monitor) == 0
        }
    }
#endif
