#if GTK
    import CGtk4

    /// GIO's view of the network, from the desktop's settings and the system's routes.
    enum NetworkMonitor {
        /// Whether the network is metered, or there is none.
        ///
        /// The first call may wait for D-Bus. On any thread without a main loop of its own: changes come by the main thread's.
        static func isConstrained() -> Bool {
            let monitor = g_network_monitor_get_default()
            return g_network_monitor_get_network_metered(monitor) != 0
                || g_network_monitor_get_network_available(monitor) == 0
        }
    }
#endif
