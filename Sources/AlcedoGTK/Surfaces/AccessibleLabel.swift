#if GTK
    package import CGtk4

    /// Sets the name that screen readers say for a widget; nil for GTK's own.
    package func setAccessibleLabel(_ label: String?, of widget: UnsafeMutablePointer<GtkWidget>) {
        var property = GTK_ACCESSIBLE_PROPERTY_LABEL
        let accessible = OpaquePointer(widget)
        guard let label else { return gtk_accessible_reset_property(accessible, property) }
        var value = GValue()
        g_value_init(&value, GType(16 << 2))
        defer { g_value_unset(&value) }
        g_value_set_string(&value, label)
        gtk_accessible_update_property_value(accessible, 1, &property, &value)
    }
#endif
