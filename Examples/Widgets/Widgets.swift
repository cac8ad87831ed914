#if GTK
    import AlcedoGTK
    package import CGtk4

    /// A pointer to a GTK widget.
    package typealias Widget = UnsafeMutablePointer<GtkWidget>

    /// Makes a label with a CSS class.
    package func makeLabel(_ text: String = "", class name: String? = nil) -> Widget {
        let label: Widget = gtk_label_new(text)
        gtk_label_set_xalign(OpaquePointer(label), 0)
        gtk_label_set_ellipsize(OpaquePointer(label), PANGO_ELLIPSIZE_END)
        if let name { gtk_widget_add_css_class(label, name) }
        return label
    }

    package func makeBox(
        _ orientation: GtkOrientation,
        spacing: Int32,
        class name: String? = nil,
        _ children: [Widget]
    ) -> Widget {
        let box: Widget = gtk_box_new(orientation, spacing)
        for child in children { gtk_box_append(box.cast(), child) }
        if let name { gtk_widget_add_css_class(box, name) }
        return box
    }

    @MainActor
    package func makeButton(_ title: String, _ action: @escaping @MainActor () -> Void) -> Widget {
        let button: Widget = gtk_button_new_with_label(title)
        onSignal("clicked", of: button, action)
        return button
    }

    /// Makes a button with an icon, and a name for its tooltip and for screen readers.
    @MainActor
    package func makeButton(
        icon: String, _ title: String, _ action: @escaping @MainActor () -> Void
    ) -> Widget {
        let button: Widget = gtk_button_new_from_icon_name(icon)
        name(button, title)
        onSignal("clicked", of: button, action)
        return button
    }

    /// Sets the tooltip of a widget without a text, and what screen readers say for it.
    @MainActor
    package func name(_ widget: Widget, _ name: String) {
        gtk_widget_set_tooltip_text(widget, name)
        setAccessibleLabel(name, of: widget)
    }

    /// Calls `action` for the keys of a trigger, such as `Escape|<Alt>Left`, in a window.
    ///
    /// It gets them before the widget with the focus or after it; they go on if it returns false.
    @MainActor
    package func onKeys(
        _ trigger: String, in window: Widget, beforeFocus: Bool = false,
        _ action: @escaping @MainActor () -> Bool
    ) {
        let controller = gtk_shortcut_controller_new()
        if beforeFocus { gtk_event_controller_set_propagation_phase(controller, GTK_PHASE_CAPTURE) }
        gtk_shortcut_controller_set_scope(controller, GTK_SHORTCUT_SCOPE_GLOBAL)
        let callback = gtk_callback_action_new(
            { _, _, context in Keys.call(context) ? 1 : 0 },
            Unmanaged.passRetained(Keys(action)).toOpaque(),
            { context in if let context { Unmanaged<Keys>.fromOpaque(context).release() } })
        gtk_shortcut_controller_add_shortcut(
            controller,
            gtk_shortcut_new(gtk_shortcut_trigger_parse_string(trigger), callback))
        gtk_widget_add_controller(window, controller)
    }

    @MainActor
    private final class Keys {
        private let action: @MainActor () -> Bool

        init(_ action: @escaping @MainActor () -> Bool) { self.action = action }

        nonisolated static func call(_ context: gpointer?) -> Bool {
            guard let context else { return false }
            let keys = Unmanaged<Keys>.fromOpaque(context).takeUnretainedValue()
            return MainActor.assumeIsolated { keys.action() }
        }
    }

    /// Makes a row with a title and a switch.
    @MainActor
    package func makeSwitch(_ title: String, _ changed: @escaping @MainActor (Bool) -> Void) -> Widget {
        let toggle: Widget = gtk_switch_new()
        setAccessibleLabel(title, of: toggle)
        gtk_widget_set_valign(toggle, GTK_ALIGN_CENTER)
        onSignal("notify::active", of: toggle) { (_: gpointer?) in
            changed(gtk_switch_get_active(OpaquePointer(toggle)) != 0)
        }
        let label = makeLabel(title)
        gtk_widget_set_hexpand(label, 1)
        return makeBox(GTK_ORIENTATION_HORIZONTAL, spacing: 12, [label, toggle])
    }

    extension ImageView {
        /// Reduces large images to the view, and does not enlarge small ones.
        package func showAtMostNaturalSize() {
            guard let surface = surface as? WidgetSurface else { return }
            gtk_picture_set_content_fit(OpaquePointer(surface.content), GTK_CONTENT_FIT_SCALE_DOWN)
        }
    }

    /// Applies a style sheet to all windows of the display.
    @MainActor
    package func applyStyle(_ sheet: String) {
        let provider = gtk_css_provider_new()
        alcedo_gtk_css_provider_load(provider, sheet)
        gtk_style_context_add_provider_for_display(
            gdk_display_get_default(), OpaquePointer(provider),
            guint(GTK_STYLE_PROVIDER_PRIORITY_APPLICATION))
        g_object_unref(provider.map(UnsafeMutableRawPointer.init))
    }

    extension Widget {
        /// The object as a pointer to another of its classes.
        package func cast<Class>(to type: Class.Type = Class.self) -> UnsafeMutablePointer<Class> {
            UnsafeMutableRawPointer(self).assumingMemoryBound(to: Class.self)
        }

        package var text: String {
            get { String(cString: gtk_label_get_text(OpaquePointer(self))) }
            nonmutating set { gtk_label_set_text(OpaquePointer(self), newValue) }
        }

        package func setMargins(_ points: Int32) {
            gtk_widget_set_margin_start(self, points)
            gtk_widget_set_margin_end(self, points)
            gtk_widget_set_margin_top(self, points)
            gtk_widget_set_margin_bottom(self, points)
        }
    }
#endif
