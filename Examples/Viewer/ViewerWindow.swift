#if GTK
    import AlcedoGTK
    import CGtk4
    import ExampleWidgets
    import Foundation

    /// The window: a picture, and what users do with it.
    @MainActor
    final class ViewerWindow {
        let widget: Widget = gtk_window_new()
        let view = PhotoView()

        /// Texts of the window: the picture's name, its size and zoom, and what has failed.
        let (name, details, message) = (
            makeLabel(class: "title"), makeLabel(class: "subtitle"), makeMessage()
        )

        private(set) var isLoading = false

        private var isOpen = true
        private let actions = g_simple_action_group_new()
        private let drag = gtk_drag_source_new()
        private var album = Album()
        private var opening: Task<Void, Never>?
        private var work: Task<Void, Never>?

        /// The picture that is shown, as loaded, turned or pasted; only a loaded one is that of a file.
        private var picture: Image?
        private var isSaved = true

        init() {
            for command in Command.allCases { add(command) }
            gtk_widget_insert_action_group(widget, "win", OpaquePointer(actions))
            g_object_unref(actions)
            // While all of the picture is visible, arrows need not move it.
            for (key, command) in [("Left", Command.previous), ("Right", .next)] {
                onKeys(key, in: widget, beforeFocus: true) { [view] in
                    view.isFit && self.performIfEnabled(command)
                }
            }
            let window: UnsafeMutablePointer<GtkWindow> = widget.cast()
            gtk_window_set_titlebar(window, makeHeader())
            gtk_window_set_child(window, makeContent())
            gtk_window_set_default_size(window, 1000, 700)
            gtk_window_set_focus(window, view.widget)

            view.loaded = { [weak self] in self?.didLoad($0) }
            view.zoomChanged = { [weak self] in self?.update() }
            onDrop(of: Received.types, on: widget) { value in
                if let received = Received(value) { self.show(received) }
            }
            gtk_widget_add_controller(view.widget, drag)
            onSignal("destroy", of: widget) { self.didClose() }
            update()
        }

        // MARK: - Pictures

        /// Shows pictures, of which the arrow keys show the next; with one file also the others of its folder.
        func open(_ urls: [URL]) {
            guard isOpen, !urls.isEmpty else { return }
            opening?.cancel()
            isLoading = true
            opening = Task {
                let album = try? await inBackground { Album(opening: urls) }
                guard let album, !Task.isCancelled else { return }
                self.album = album
                // Forgets what is prefetched: files may have changed.
                view.show(nil as URL?)
                showCurrent()
            }
        }

        private func showCurrent() {
            guard let url = album.current else { return fail(Failure("The folder has no pictures.")) }
            (picture, isSaved, isLoading) = (nil, true, true)
            view.accessibilityLabel = url.lastPathComponent
            // The memory cache would show a file as it was before another program has changed it.
            view.show(
                url, prefetching: album.neighbors,
                options: url.isFileURL ? [.memoryCacheExpiration(.expired)] : [])
            update()
        }

        private func didLoad(_ result: Result<Image, any Error>) {
            isLoading = false
            switch result {
            case .success(let image): (picture, message.text) = (image, "")
            case .failure(let error):
                picture = view.image
                fail(error)
            }
            update()
        }

        /// Shows a picture that has no file.
        private func show(_ image: Image) {
            isSaved = false
            view.show(image)
        }

        private func show(_ received: Received) {
            switch received {
            case .files(let urls): open(urls)
            case .picture(let image):
                opening?.cancel()
                album = Album()
                show(image)
            }
        }

        // MARK: - Commands

        func perform(_ command: Command) {
            message.text = ""
            switch command {
            case .open:
                start {
                    self.open(
                        await chooseFiles("Open Pictures", over: self.widget, in: self.folder))
                }
            case .save: start { try await self.save() }
            case .copy: start { try await self.copy() }
            case .paste: start { try await self.paste() }
            case .previous: move(by: -1)
            case .next: move(by: 1)
            case .reload:
                view.show(nil as URL?)
                showCurrent()
            case .turnLeft: start { try await self.turn(.left) }
            case .turnRight: start { try await self.turn(.right) }
            case .zoomIn: view.zoom(by: 1.25)
            case .zoomOut: view.zoom(by: 0.8)
            case .zoomToFit: view.zoomToFit()
            case .zoomToPixels: view.zoomToPixels()
            case .fullscreen: setFullscreen(!isFullscreen)
            case .leave: isFullscreen ? setFullscreen(false) : close()
            case .close: close()
            }
            update()
        }

        private func move(by steps: Int) {
            album.move(by: steps)
            showCurrent()
        }

        private func save() async throws {
            guard let picture else { return }
            let files = await chooseFiles(
                "Save As", over: widget, in: folder, saving: suggestedName(of: picture))
            if let file = files.first { try await save(to: file) }
        }

        /// Writes the picture to a file, and shows that.
        func save(to file: URL) async throws {
            guard let picture else { return }
            try await inBackground { try picture.save(to: file) }
            open([file])
        }

        private func suggestedName(of picture: Image) -> String {
            let name = album.current?.lastPathComponent ?? "Picture"
            if EncodedFormat(fileExtension: (name as NSString).pathExtension) != nil { return name }
            return "\(name).\((picture.info?.format ?? .png).fileExtension)"
        }

        private func copy() async throws {
            guard let picture else { return }
            let pixels = try await picture.kf.texture()
            let content = picture.content(file: file, pixels: pixels)
            defer { if let content { g_object_unref(content) } }
            gdk_clipboard_set_content(gtk_widget_get_clipboard(widget), content)
        }

        private func paste() async throws {
            guard let received = await Received.read(gtk_widget_get_clipboard(widget)) else {
                throw Failure("The clipboard has no picture.")
            }
            show(received)
        }

        private func turn(_ turn: Image.Orientation) async throws {
            guard let picture else { return }
            let turned = try await inBackground { try picture.turned(turn) }
            if picture === self.picture { show(turned) }
        }

        private var isFullscreen: Bool { gtk_window_is_fullscreen(widget.cast()) != 0 }

        private func setFullscreen(_ isFullscreen: Bool) {
            if isFullscreen {
                gtk_window_fullscreen(widget.cast())
            } else {
                gtk_window_unfullscreen(widget.cast())
            }
        }

        /// The widgets are no more; what is still written is finished.
        private func didClose() {
            isOpen = false
            opening?.cancel()
            (view.loaded, view.zoomChanged) = (nil, nil)
        }

        private func close() { gtk_window_close(widget.cast()) }

        /// Runs what takes time after what was started before, and says what failed.
        private func start(_ body: @escaping @MainActor () async throws -> Void) {
            work = Task { [work] in
                await work?.value
                do { try await body() } catch { fail(error) }
            }
        }

        private func fail(_ error: any Error) {
            guard isOpen else { return }
            isLoading = false
            message.text = error.localizedDescription
            update()
        }

        // MARK: - What the window shows

        /// The file that is shown as it is.
        private var file: URL? {
            guard isSaved, picture != nil, let url = album.current, url.isFileURL else { return nil }
            return url
        }

        private var folder: URL? {
            guard let url = album.current, url.isFileURL else { return nil }
            return url.deletingLastPathComponent()
        }

        private func update() {
            guard isOpen else { return }
            let title = album.current?.lastPathComponent ?? (picture == nil ? "Viewer" : "Picture")
            name.text = title
            gtk_window_set_title(widget.cast(), title)
            details.text = texts.joined(separator: " · ")
            gtk_widget_set_visible(details, details.text.isEmpty ? 0 : 1)

            let isEmpty = picture == nil && !isLoading
            if isEmpty, message.text.isEmpty { message.text = "Open a picture, or drop one here" }
            gtk_widget_set_visible(message, message.text.isEmpty ? 0 : 1)
            gtk_widget_set_valign(message, isEmpty ? GTK_ALIGN_CENTER : GTK_ALIGN_END)

            for command in Command.allCases {
                let action = g_action_map_lookup_action(OpaquePointer(actions), command.rawValue)
                g_simple_action_set_enabled(action, isEnabled(command) ? 1 : 0)
            }
            // A drag moves what is only partly visible.
            let content = view.isFit ? picture?.content(file: file) : nil
            gtk_drag_source_set_content(drag, content)
            if let content { g_object_unref(content) }
        }

        private var texts: [String] {
            guard let picture else { return isLoading ? ["Loading…"] : [] }
            let size = "\(picture.pixelSize.width) × \(picture.pixelSize.height)"
            return [size, "\(Int((view.zoom * 100).rounded())) %"] + (isSaved ? [] : ["not saved"])
        }

        func isEnabled(_ command: Command) -> Bool {
            switch command {
            case .previous: album.previous != nil
            case .next: album.next != nil
            case .reload: album.current != nil
            default: picture != nil || !command.needsPicture
            }
        }

        private func performIfEnabled(_ command: Command) -> Bool {
            guard isEnabled(command) else { return false }
            perform(command)
            return true
        }

        private func add(_ command: Command) {
            guard let action = g_simple_action_new(command.rawValue, nil) else { return }
            onSignal("activate", of: action) { (_: gpointer?) in self.perform(command) }
            g_action_map_add_action(OpaquePointer(actions), action)
            g_object_unref(UnsafeMutableRawPointer(action))
            onKeys(command.keys, in: widget, beforeFocus: true) { self.performIfEnabled(command) }
        }

        // MARK: - Widgets

        private func makeHeader() -> Widget {
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

        private func makeButton(_ command: Command) -> Widget {
            let button: Widget = gtk_button_new_from_icon_name(command.icon)
            ExampleWidgets.name(button, command.title.replacing("…", with: ""))
            gtk_actionable_set_action_name(OpaquePointer(button), "win.\(command.rawValue)")
            // Keys stay with the picture.
            gtk_widget_set_focus_on_click(button, 0)
            return button
        }

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
                g_menu_append_section(menu, nil, section.map(Self.model))
                g_object_unref(section.map(UnsafeMutableRawPointer.init))
            }
            let button: Widget = gtk_menu_button_new()
            gtk_menu_button_set_icon_name(OpaquePointer(button), "open-menu-symbolic")
            gtk_menu_button_set_menu_model(OpaquePointer(button), menu.map(Self.model))
            ExampleWidgets.name(button, "Menu")
            g_object_unref(menu.map(UnsafeMutableRawPointer.init))
            return button
        }

        private static func model(_ menu: OpaquePointer) -> UnsafeMutablePointer<GMenuModel> {
            UnsafeMutableRawPointer(menu).assumingMemoryBound(to: GMenuModel.self)
        }

        private func makeContent() -> Widget {
            let overlay: Widget = gtk_overlay_new()
            gtk_overlay_set_child(OpaquePointer(overlay), view.widget)
            gtk_overlay_add_overlay(OpaquePointer(overlay), message)
            return overlay
        }

        private static func makeMessage() -> Widget {
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
    }
#endif
