#if GTK
    import Alcedo
    import CGtk4

    /// Frees memory and disk when no window of the program is visible any more, or when memory gets short.
    ///
    /// Runs with the first view. A window is hidden if it is not mapped, minimised, or said to be invisible by the
    /// compositor, which needs GTK 4.12.
    @MainActor
    final class WindowWatch {
        static let shared = WindowWatch()

        /// `GDK_TOPLEVEL_STATE_SUSPENDED`, which older headers lack.
        private static let suspended: UInt32 = 1 << 16

        private let pressure = MemoryPressureMonitor()
        private var isHidden = false
        private var isChecking = false
        private var mapped: [ObjectIdentifier: MappedSurface] = [:]

        private struct MappedSurface {
            weak var surface: WidgetSurface?
        }

        func view(_ surface: WidgetSurface, isMapped: Bool) {
            mapped[ObjectIdentifier(surface)] = isMapped ? MappedSurface(surface: surface) : nil
            if isMapped { observe(surface.content) }
            if isMapped == isHidden { check() }
        }

        /// Watches the state of a view's window, and the settings of its display.
        private func observe(_ widget: UnsafeMutablePointer<GtkWidget>) {
            if let settings = gtk_widget_get_settings(widget) {
                observe(settings: UnsafeMutableRawPointer(settings))
            }
            let mark = "alcedo-window-watch"
            guard let native = gtk_widget_get_native(widget), let surface = gtk_native_get_surface(native),
                UnsafeMutableRawPointer(surface).isInstance(of: gdk_toplevel_get_type())
            else { return }
            let object = UnsafeMutableRawPointer(surface).assumingMemoryBound(to: GObject.self)
            guard g_object_get_data(object, mark) == nil else { return }
            g_object_set_data(object, mark, object)
            Signals.connect(object, detailed: "notify::state") { _, _, _ in
                MainActor.assumeIsolated { WindowWatch.shared.check() }
            }
        }

        private func observe(settings: UnsafeMutableRawPointer) {
            let mark = "alcedo-animations-watch"
            let object = settings.assumingMemoryBound(to: GObject.self)
            guard g_object_get_data(object, mark) == nil else { return }
            g_object_set_data(object, mark, object)
            Signals.connect(object, detailed: "notify::gtk-enable-animations") { _, _, _ in
                MainActor.assumeIsolated {
                    for entry in WindowWatch.shared.mapped.values {
                        entry.surface?.animationsSettingChanged?()
                    }
                }
            }
        }

        /// Looks at all windows, later, as a signal may come before the change is complete.
        private func check() {
            guard !isChecking else { return }
            isChecking = true
            Task {
                isChecking = false
                let wasHidden = isHidden
                isHidden = !Self.hasVisibleWindow
                mapped = mapped.filter { $0.value.surface != nil }
                for entry in mapped.values { entry.surface?.checkVisibility() }
                if isHidden, !wasHidden { ImageCache.trimAllInBackground() }
            }
        }

        private static var hasVisibleWindow: Bool {
            guard let windows = gtk_window_get_toplevels() else { return false }
            return (0..<g_list_model_get_n_items(windows)).contains { index in
                guard let window = g_list_model_get_item(windows, index) else { return false }
                defer { g_object_unref(window) }
                return isVisible(window.assumingMemoryBound(to: GtkWidget.self))
            }
        }

        /// Whether a widget is mapped in a window that is neither minimised nor suspended.
        static func isVisible(_ widget: UnsafeMutablePointer<GtkWidget>) -> Bool {
            guard gtk_widget_get_mapped(widget) != 0 else { return false }
            guard let root = gtk_widget_get_root(widget),
                let surface = gtk_native_get_surface(root),
                UnsafeMutableRawPointer(surface).isInstance(of: gdk_toplevel_get_type())
            else { return true }
            let state = gdk_toplevel_get_state(surface).rawValue
            return state & (GDK_TOPLEVEL_STATE_MINIMIZED.rawValue | suspended) == 0
        }
    }
#endif
