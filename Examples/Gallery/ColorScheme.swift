#if GTK
    import CGtk4

    /// The desktop's choice of light or dark, by the XDG desktop portal's settings (org.freedesktop.appearance).
    ///
    /// GTK 4 before 4.20 does not follow it by itself. Without a portal, the theme stays as GTK has it.
    @MainActor
    enum ColorScheme {
        private static let portal = (
            name: "org.freedesktop.portal.Desktop", path: "/org/freedesktop/portal/desktop",
            interface: "org.freedesktop.portal.Settings"
        )
        private static let namespace = "org.freedesktop.appearance"
        private static let key = "color-scheme"
        private static let dark: guint32 = 1

        /// Reads it now, and at each change.
        static func follow() {
            guard let bus = g_bus_get_sync(G_BUS_TYPE_SESSION, nil, nil) else { return }
            var arguments = [g_variant_new_string(namespace), g_variant_new_string(key)]
            // A desktop without an answer must not delay the window.
            let timeout: Int32 = 500
            let reply = g_dbus_connection_call_sync(
                bus, portal.name, portal.path, portal.interface, "Read", g_variant_new_tuple(&arguments, 2),
                nil, alcedo_g_dbus_call_no_auto_start, timeout, nil, nil)
            if let reply {
                apply(g_variant_get_child_value(reply, 0))
                g_variant_unref(reply)
            }
            g_dbus_connection_signal_subscribe(
                bus, portal.name, portal.interface, "SettingChanged", portal.path, namespace,
                GDBusSignalFlags(rawValue: 0),
                { _, _, _, _, _, parameters, _ in
                    // Safe because GLib calls it on the main thread only.
                    nonisolated(unsafe) let parameters = parameters
                    MainActor.assumeIsolated { ColorScheme.changed(parameters) }
                }, nil, nil)
        }

        /// Namespace, key and value.
        private static func changed(_ parameters: OpaquePointer?) {
            guard let parameters, g_variant_n_children(parameters) == 3,
                let name = g_variant_get_child_value(parameters, 1)
            else { return }
            defer { g_variant_unref(name) }
            guard String(cString: g_variant_get_string(name, nil)) == key else { return }
            apply(g_variant_get_child_value(parameters, 2))
        }

        /// Takes ownership of a value, which may be in several variants.
        private static func apply(_ value: OpaquePointer?) {
            guard let value else { return }
            defer { g_variant_unref(value) }
            if String(cString: g_variant_get_type_string(value)) == "v" {
                return apply(g_variant_get_variant(value))
            }
            guard String(cString: g_variant_get_type_string(value)) == "u" else { return }
            var isDark = GValue()
            g_value_init(&isDark, g_type_from_name("gboolean"))
            defer { g_value_unset(&isDark) }
            g_value_set_boolean(&isDark, g_variant_get_uint32(value) == dark ? 1 : 0)
            g_object_set_property(
                UnsafeMutableRawPointer(gtk_settings_get_default())?.assumingMemoryBound(to: GObject.self),
                "gtk-application-prefer-dark-theme", &isDark)
        }
    }
#endif
