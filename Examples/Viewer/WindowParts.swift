#if GTK
    import AlcedoGTK
    import CGtk4
    import ExampleWidgets

    /// The title bar of a window, with labels for the picture's name and details.
    @MainActor
    func makeHeader(_ name: Widget, _ details: Widget) -> Widget {
        let header: Widget = gtk_header_bar_new()
        for label in [name, details] { gtk_label_set_xalign(OpaquePointer(label), 0.5) }
        let title = makeBox(GTK_ORIENTATION_VERTICAL, spacing: 0, [name, details])
        gtk_widget_set_valign(title, GTK_ALIGN_CENTER)
        gtk_header_bar_set_title_widget(OpaquePointer(header), title)
        for command in [Command.open, .previous, .next] {
            gtk_header_bar_pack_start(OpaquePointer(header), makeButton(command))
        }
        gtk_header_bar_pack_end(OpaquePointer(header), makeMenuButton())
        for command in [Command.fullscreen, .turnRight, .turnLeft] {
            gtk_header_bar_pack_end(OpaquePointer(header), makeButton(command))
        }
        return header
    }

    @MainActor
    private func makeButton(_ command: Command) -> Widget {
        let button: Widget = gtk_button_new_from_icon_name(command.icon)
        ExampleWidgets.name(button, command.title.replacing("…", with: ""))
        gtk_actionable_set_action_name(OpaquePointer(button), "win.\(command.rawValue)")
        // Keys stay with the picture.
        gtk_widget_set_focus_on_click(button, 0)
        return button
    }

    @MainActor
    private func makeMenuButton() -> Widget {
        let menu = g_menu_new()
        for group in Command.menu {
            let section = g_menu_new()
            for command in group {
                let item = g_menu_item_new(command.title, "win.\(command.rawValue)")
                let key = command.keys.split(separator: "|").first.map(String.init) ?? ""
                g_menu_item_set_attribute_value(item, "accel", g_variant_new_string(key))
                g_menu_append_item(section, item)
                g_object_unref(item.map(UnsafeMutableRawPointer.init))
            }
            g_menu_append_section(menu, nil, section.map(model))
            g_object_unref(section.map(UnsafeMutableRawPointer.init))
        }
        let button: Widget = gtk_menu_button_new()
        gtk_menu_button_set_icon_name(OpaquePointer(button), "open-menu-symbolic")
        gtk_menu_button_set_menu_model(OpaquePointer(button), menu.map(model))
        ExampleWidgets.name(button, "Menu")
        g_object_unref(menu.map(UnsafeMutableRawPointer.init))
        return button
    }

    private func model(_ menu: OpaquePointer) -> UnsafeMutablePointer<GMenuModel> {
        UnsafeMutableRawPointer(menu).assumingMemoryBound(to: GMenuModel.self)
    }

    /// A text over the picture.
    func makeMessage() -> Widget {
        let label: Widget = gtk_label_new("")
        gtk_label_set_wrap(OpaquePointer(label), 1)
        gtk_label_set_wrap_mode(OpaquePointer(label), PANGO_WRAP_WORD_CHAR)
        gtk_label_set_max_width_chars(OpaquePointer(label), 60)
        gtk_label_set_justify(OpaquePointer(label), GTK_JUSTIFY_CENTER)
        gtk_widget_set_halign(label, GTK_ALIGN_CENTER)
        gtk_widget_add_css_class(label, "message")
        gtk_widget_add_css_class(label, "osd")
        return label
    }
#endif
