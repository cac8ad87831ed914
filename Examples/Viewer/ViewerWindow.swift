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
        let drag = gtk_drag_source_new()
        private var dragged: Image?
        private var album = Album()
        private var opening: Task<Void, Never>?
        private var work: Task<Void, Never>?

        /// The picture as loaded or pasted, how many quarters it is turned to the right, and what that shows.
        private var (original, turns, picture) = (Image?.none, 0, Image?.none)
        private var isPasted = false

        /// Turns that are requested and not done.
        private var pendingTurns = 0
        private(set) var isAsking = false

        /// What keeps the desktop from ending the session; 0 for nothing.
        private var inhibition: guint = 0

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
            gtk_window_set_titlebar(window, makeHeader(name, details))
            gtk_window_set_child(window, makeContent())
            gtk_window_set_default_size(window, 1000, 700)
            gtk_window_set_focus(window, view.widget)

            view.loaded = { [weak self] in self?.didLoad($0) }
            view.zoomChanged = { [weak self] in self?.update() }
            onDrop(of: Received.types, on: widget) { value in
                if let received = Received(value) { self.show(received) }
            }
            gtk_widget_add_controller(view.widget, drag)
            onCloseRequest(of: widget) { self.mayClose() }
            onSignal("destroy", of: widget) { self.didClose() }
            update()
        }

        // MARK: - Pictures

        /// Shows pictures, of which the arrow keys show the next; with one file also the others of its folder.
        func open(_ urls: [URL]) {
            if !urls.isEmpty { leavePicture { self.load(urls) } }
        }

        private func load(_ urls: [URL]) {
            guard isOpen else { return }
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
            (original, turns, picture, isPasted, isLoading) = (nil, 0, nil, false, true)
            view.accessibilityLabel = url.name
            // The memory cache would show a file as it was before another program has changed it.
            view.show(
                url, prefetching: album.neighbors,
                options: url.isFileURL ? [.memoryCacheExpiration(.expired)] : [])
            update()
        }

        private func didLoad(_ result: Result<Image, any Error>) {
            isLoading = false
            switch result {
            case .success(let image):
                (picture, message.text) = (image, "")
                original = original ?? image
            case .failure(let error):
                picture = view.image
                fail(error)
            }
            update()
        }

        private func show(_ received: Received) {
            switch received {
            case .files(let urls): open(urls)
            case .picture(let image):
                leavePicture { [self] in
                    opening?.cancel()
                    (album, original, turns, isPasted) = (Album(), image, 0, true)
                    view.show(image)
                }
            }
        }

        // MARK: - Unsaved pictures

        private var isSaved: Bool { turns == 0 && !isPasted }

        /// Calls `body`, which replaces the picture; after a question if it is not saved.
        private func leavePicture(_ body: @escaping @MainActor () -> Void) {
            if isSaved, pendingTurns == 0 { return body() }
            guard !isAsking else { return }
            isAsking = true
            start { [self] in
                defer { isAsking = false }
                if try await mayLeavePicture(), isOpen { body() }
            }
        }

        private func mayLeavePicture() async throws -> Bool {
            guard isOpen, !isSaved else { return true }
            let file = fileToReplace
            let choice = await ask(
                "Save “\(title)”?", isPasted ? "It has no file yet." : "It is turned.",
                save: file == nil ? "Save As…" : "Save", over: widget)
            switch choice {
            case .cancel: return false
            case .discard: return true
            case .save:
                guard let picture, let file = await chosenFile(for: picture, file) else { return false }
                try await write(picture, to: file)
                return true
            }
        }

        /// The file of a JPEG that is turned without loss.
        private var fileToReplace: URL? {
            guard !isPasted, picture?.info?.format == .jpeg, let url = album.current, url.isFileURL,
                url.format == .jpeg
            else { return nil }
            return url
        }

        private func mayClose() -> Bool {
            if isSaved, pendingTurns == 0 { return true }
            leavePicture { gtk_window_destroy(self.widget.cast()) }
            return false
        }

        /// Has the desktop ask before it ends the session while a picture is not saved.
        private func updateInhibition() {
            guard let application = gtk_window_get_application(widget.cast()) else { return }
            if isSaved, inhibition != 0 {
                gtk_application_uninhibit(application, inhibition)
                inhibition = 0
            } else if !isSaved, inhibition == 0 {
                inhibition = gtk_application_inhibit(
                    application, widget.cast(), GTK_APPLICATION_INHIBIT_LOGOUT, "“\(title)” is not saved.")
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
            case .copy: copy()
            case .paste: start { if self.isOpen { try await self.paste() } }
            case .previous: move(by: -1)
            case .next: move(by: 1)
            case .reload:
                leavePicture { [self] in
                    view.show(nil as URL?)
                    showCurrent()
                }
            case .turnLeft: turn(by: -1)
            case .turnRight: turn(by: 1)
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
            leavePicture { [self] in
                album.move(by: steps)
                showCurrent()
            }
        }

        private func save() async throws {
            guard let picture, let file = await chosenFile(for: picture, nil) else { return }
            try await save(to: file)
        }

        /// A file that is known, or the one that the user chooses.
        private func chosenFile(for picture: Image, _ file: URL?) async -> URL? {
            if let file { return file }
            let name = suggestedName(of: picture)
            return await chooseFiles("Save As", over: widget, in: folder, saving: name).first
        }

        /// Writes the picture to a file, and shows that.
        func save(to file: URL) async throws {
            guard let picture else { return }
            try await write(picture, to: file)
            load([file])
        }

        private func write(_ picture: Image, to file: URL) async throws {
            try await inBackground { try picture.save(to: file) }
            if picture === self.picture { (original, turns, isPasted) = (picture, 0, false) }
        }

        private func suggestedName(of picture: Image) -> String {
            let name = album.current?.name ?? "Picture"
            if album.current?.format != nil { return name }
            return "\(name).\((picture.info?.format ?? .png).fileExtension)"
        }

        /// Copies what is shown now, also if the window is closed at once; after the turns that were requested.
        private func copy() {
            let shown = pendingTurns == 0 ? (picture, file) : nil
            let clipboard = gtk_widget_get_clipboard(widget)
            start { [self] in
                let (picture, file) = shown ?? (picture, file)
                guard let picture else { return }
                let content = try await picture.content(file: file, pixels: picture.kf.texture())
                defer { if let content { g_object_unref(content) } }
                gdk_clipboard_set_content(clipboard, content)
            }
        }

        private func paste() async throws {
            guard let received = await Received.read(gtk_widget_get_clipboard(widget)) else {
                throw Failure("The clipboard has no picture.")
            }
            show(received)
        }

        private func turn(by quarters: Int) {
            pendingTurns += 1
            start { [self] in
                defer { pendingTurns -= 1 }
                guard let original else { return }
                let turns = (turns + quarters) & 3
                let turned = try await inBackground { try original.turned(quarters: turns) }
                guard original === self.original, isOpen else { return }
                self.turns = turns
                view.show(turned)
            }
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

        private var title: String {
            album.current?.name ?? (picture == nil ? "Viewer" : "Picture")
        }

        private func update() {
            guard isOpen else { return }
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
            updateDrag()
            updateInhibition()
        }

        private func updateDrag() {
            // A drag moves what is only partly visible.
            let dragged = view.isFit ? picture : nil
            guard dragged !== self.dragged else { return }
            self.dragged = dragged
            let content = dragged?.content(file: file)
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

        private func makeContent() -> Widget {
            let overlay: Widget = gtk_overlay_new()
            gtk_overlay_set_child(OpaquePointer(overlay), view.widget)
            gtk_overlay_add_overlay(OpaquePointer(overlay), message)
            return overlay
        }
    }
#endif
