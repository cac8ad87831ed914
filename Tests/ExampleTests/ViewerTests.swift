#if GTK
    import Alcedo
    import AlcedoGTK
    import AlcedoTestSupport
    import CGtk4
    import ExampleWidgets
    import Foundation
    import Testing

    @testable import Viewer

    @MainActor
    @Suite(.serialized, .timeLimit(.minutes(10)))
    struct `The viewer` {
        private let folder: TemporaryDirectory

        init() throws {
            try #require(gtk_init_check() != 0, "this test needs a display: scripts/with-display.sh")
            folder = try TemporaryDirectory()
            for (name, copy) in [("testorig.jpg", "2.jpg"), ("monkey16.png", "10.png")] {
                try FileManager.default.copyItem(at: Fixture.url("jpeg/\(name)"), to: folder.file(copy))
            }
            try Data("no picture".utf8).write(to: folder.file("20.jpg"))
            try Data("no picture".utf8).write(to: folder.file("notes.txt"))
        }

        /// A viewer in which a file is shown, or has failed.
        private func viewer(_ name: String) async throws -> ViewerWindow {
            let viewer = ViewerWindow()
            viewer.open([folder.file(name)])
            gtk_window_present(viewer.widget.cast())
            try await until { !viewer.isLoading }
            return viewer
        }

        /// Does what a button, a line of the menu or keys do.
        private func perform(_ command: Command, in viewer: ViewerWindow) {
            gtk_widget_activate_action_variant(viewer.widget, "win.\(command.rawValue)", nil)
        }

        /// The button of a question that is open.
        private func button(_ label: String) -> Widget? {
            let windows = gtk_window_get_toplevels()
            let dialogs = (0..<g_list_model_get_n_items(windows)).compactMap { index -> Widget? in
                guard let item = g_list_model_get_item(windows, index) else { return nil }
                g_object_unref(item)
                return item.assumingMemoryBound(to: GtkWidget.self)
            }
            return dialogs.lazy.filter { gtk_window_get_modal($0.cast()) != 0 }
                .compactMap { find(label, in: $0) }.first
        }

        private func find(_ label: String, in widget: Widget) -> Widget? {
            let isButton = g_type_check_instance_is_a(
                UnsafeMutableRawPointer(widget).assumingMemoryBound(to: GTypeInstance.self),
                gtk_button_get_type())
            if isButton != 0, let text = gtk_button_get_label(widget.cast()), String(cString: text) == label {
                return widget
            }
            var child = gtk_widget_get_first_child(widget)
            while let next = child {
                if let found = find(label, in: next) { return found }
                child = gtk_widget_get_next_sibling(next)
            }
            return nil
        }

        /// Makes a choice in the dialog that a command shows.
        private func perform(_ command: Command, in viewer: ViewerWindow, choosing label: String)
            async throws
        {
            perform(command, in: viewer)
            try await until { button(label) != nil }
            gtk_widget_activate(button(label))
            try await until { button(label) == nil && !viewer.isAsking }
        }

        /// Copies the file that is shown, goes on at once, and gets it back from the clipboard.
        private func copyAndPasteFile(in viewer: ViewerWindow) async throws {
            let name = viewer.name.text
            perform(.copy, in: viewer)
            perform(.next, in: viewer)
            try await until { viewer.name.text == "10.png" && !viewer.isLoading }
            perform(.paste, in: viewer)
            try await until { viewer.name.text == name && !viewer.isLoading }
        }

        private func until(_ condition: () -> Bool) async throws {
            let deadline = ContinuousClock.now + .seconds(300)
            while !condition() {
                try #require(ContinuousClock.now < deadline)
                g_main_context_iteration(nil, 0)
                await Task.yield()
            }
        }

        @Test func `the viewer shows a file, its size and zoom, and the folder's other files`() async throws {
            let viewer = try await viewer("2.jpg")
            defer { perform(.close, in: viewer) }
            #expect(viewer.name.text == "2.jpg")
            try await until { viewer.details.text == "227 × 149 · 100 %" }
            #expect(!viewer.isEnabled(.previous))

            perform(.next, in: viewer)
            try await until { viewer.name.text == "10.png" && !viewer.isLoading }
            #expect(viewer.view.image?.pixelSize == PixelSize(width: 149, height: 227))

            perform(.next, in: viewer)
            try await until { !viewer.isLoading }
            #expect(viewer.name.text == "20.jpg")
            #expect(viewer.message.text.contains("not an image in a known format"))
            #expect(!viewer.isEnabled(.next) && !viewer.isEnabled(.save))

            perform(.previous, in: viewer)
            perform(.reload, in: viewer)
            try await until { viewer.view.image != nil }
            #expect(viewer.name.text == "10.png" && viewer.message.text.isEmpty)
        }

        @Test func `the viewer zooms`() async throws {
            let viewer = try await viewer("2.jpg")
            defer { perform(.close, in: viewer) }
            // It has no zoom before layout.
            try await until {
                perform(.zoomIn, in: viewer)
                return !viewer.view.isFit
            }
            try await until { viewer.details.text.hasSuffix("125 %") }
            perform(.zoomToFit, in: viewer)
            try await until { viewer.details.text.hasSuffix("100 %") }
            #expect(viewer.view.isFit)
        }

        @Test func `the viewer turns a JPEG without loss, and saves it`() async throws {
            let file = folder.file("whole.jpg")
            let original = try Fixture.data("exif-orientation/Landscape_1.jpg")
            try Data(original).write(to: file)
            let viewer = try await viewer("whole.jpg")
            defer { perform(.close, in: viewer) }
            perform(.turnRight, in: viewer)
            try await until { viewer.details.text.hasSuffix("not saved") }
            #expect(viewer.details.text.hasPrefix("1200 × 1800"))

            // To the same file, which is then shown as it is now.
            try await viewer.save(to: file)
            try await until { !viewer.isLoading && viewer.view.image != nil }
            #expect(try Data(contentsOf: file) == JPEGTransform(turn: .right).apply(to: Data(original)))
            #expect(viewer.view.image?.pixelSize == PixelSize(width: 1200, height: 1800))
            #expect(!viewer.details.text.contains("not saved"))
        }

        @Test func `the viewer asks before a turned picture is replaced, and saves it in its file`()
            async throws
        {
            let file = folder.file("1.jpg")
            let original = try Fixture.data("exif-orientation/Landscape_1.jpg")
            try Data(original).write(to: file)
            let viewer = try await viewer("1.jpg")
            defer { gtk_window_destroy(viewer.widget.cast()) }
            // The turn is not done yet when the next picture is requested.
            perform(.turnRight, in: viewer)
            try await perform(.next, in: viewer, choosing: "Cancel")
            #expect(viewer.name.text == "1.jpg" && viewer.details.text.hasSuffix("not saved"))

            try await perform(.next, in: viewer, choosing: "Save")
            try await until { viewer.name.text == "2.jpg" && !viewer.isLoading }
            #expect(try Data(contentsOf: file) == JPEGTransform(turn: .right).apply(to: Data(original)))

            // Four turns are none.
            for _ in 0..<4 { perform(.turnLeft, in: viewer) }
            perform(.next, in: viewer)
            try await until { viewer.name.text == "10.png" && !viewer.isLoading }

            perform(.turnLeft, in: viewer)
            try await perform(.previous, in: viewer, choosing: "Discard")
            try await until { viewer.name.text == "2.jpg" && !viewer.isLoading }
        }

        @Test func `the viewer asks before it is closed with a picture that is not saved`() async throws {
            let viewer = try await viewer("10.png")
            var isOpen = true
            onSignal("destroy", of: viewer.widget) { isOpen = false }
            perform(.turnLeft, in: viewer)
            // Its pixels would be encoded anew, so the user chooses the file.
            try await perform(.close, in: viewer, choosing: "Cancel")
            #expect(isOpen && button("Save As…") == nil)
            perform(.close, in: viewer)
            // Once, whatever else is requested.
            perform(.leave, in: viewer)
            perform(.next, in: viewer)
            try await until { button("Save As…") != nil }
            gtk_widget_activate(button("Discard"))
            try await until { !isOpen }
            #expect(button("Discard") == nil)
        }

        @Test func `the viewer turns other pictures, and saves them in the name's format`() async throws {
            let viewer = try await viewer("10.png")
            defer { gtk_window_destroy(viewer.widget.cast()) }
            let copy = folder.file("copy.png")
            try await viewer.save(to: copy)
            #expect(try Data(contentsOf: copy) == Data(contentsOf: folder.file("10.png")))
            try await until { !viewer.isLoading }
            #expect(viewer.name.text == "copy.png")

            perform(.turnLeft, in: viewer)
            try await until { viewer.details.text.hasPrefix("227 × 149") }
            try await viewer.save(to: folder.file("turned.webp"))
            let turned = try Image(decoding: Data(contentsOf: folder.file("turned.webp")))
            #expect(turned.info?.format == .webp)
            #expect(turned.pixelSize == PixelSize(width: 227, height: 149))
            await #expect(throws: Failure.self) { try await viewer.save(to: folder.file("turned")) }
        }

        @Test func `the viewer turns all frames of an animation`() async throws {
            let original = try Fixture.data("gif/fire.gif")
            try Data(original).write(to: folder.file("fire.gif"))
            let viewer = try await viewer("fire.gif")
            defer { gtk_window_destroy(viewer.widget.cast()) }
            perform(.turnRight, in: viewer)
            try await until { viewer.details.text.hasSuffix("not saved") }
            let copy = folder.file("turned.gif")
            try await viewer.save(to: copy)
            let (before, after) = try (
                Image(decoding: Data(original)), Image(decoding: Data(contentsOf: copy))
            )
            #expect(
                after.pixelSize.width == before.pixelSize.height
                    && after.pixelSize.height == before.pixelSize.width)
            #expect(
                after.kf.imageFrameCount == before.kf.imageFrameCount && after.kf.imageFrameCount ?? 0 > 1)
        }

        @Test func `the viewer keeps the metadata of a picture that it turns pixel by pixel`() async throws {
            let original = try Fixture.data("metadata/chunks.png")
            try Data(original).write(to: folder.file("chunks.png"))
            let viewer = try await viewer("chunks.png")
            defer { gtk_window_destroy(viewer.widget.cast()) }
            perform(.turnRight, in: viewer)
            try await until { viewer.details.text.hasSuffix("not saved") }
            try await viewer.save(to: folder.file("turned.png"))
            let turned = try Image(decoding: Data(contentsOf: folder.file("turned.png")))
            #expect(turned.metadata?.exif != nil && turned.metadata?.xmp != nil)
        }

        @Test func `the viewer drags what it shows, and makes that once for a picture`() async throws {
            let viewer = try await viewer("2.jpg")
            defer { gtk_window_destroy(viewer.widget.cast()) }
            let content = gtk_drag_source_get_content(viewer.drag)
            #expect(content != nil)
            perform(.zoomToFit, in: viewer)
            perform(.copy, in: viewer)
            #expect(gtk_drag_source_get_content(viewer.drag) == content)
            // What is only partly visible is moved by a drag.
            try await until {
                perform(.zoomIn, in: viewer)
                return gtk_drag_source_get_content(viewer.drag) == nil
            }
            perform(.zoomToFit, in: viewer)
            try await until { gtk_drag_source_get_content(viewer.drag) != nil }
        }

        @Test func `the viewer copies to the clipboard what it shows, and pastes from there`() async throws {
            let viewer = try await viewer("2.jpg")
            defer { gtk_window_destroy(viewer.widget.cast()) }
            try await copyAndPasteFile(in: viewer)

            perform(.turnLeft, in: viewer)
            try await until { viewer.details.text.hasSuffix("not saved") }
            perform(.copy, in: viewer)
            try await perform(.paste, in: viewer, choosing: "Discard")
            // The clipboard has pixels.
            try await until { viewer.name.text == "Picture" }
            #expect(viewer.details.text.hasPrefix("149 × 227") && viewer.isEnabled(.save))

            gdk_clipboard_set_text(gtk_widget_get_clipboard(viewer.widget), "a text")
            perform(.paste, in: viewer)
            try await until { viewer.message.text == "The clipboard has no picture." }
        }

        @Test func `the viewer copies what it shows although it is closed at once`() async throws {
            let viewer = try await viewer("2.jpg")
            let clipboard = gtk_widget_get_clipboard(viewer.widget)
            gdk_clipboard_set_content(clipboard, nil)
            perform(.copy, in: viewer)
            perform(.close, in: viewer)
            try await until { gdk_clipboard_get_content(clipboard) != nil }
        }

        @Test func `the viewer opens, turns, saves and copies a file whose name is not UTF-8`() async throws {
            let original = try Fixture.data("exif-orientation/Landscape_1.jpg")
            try Data(original).write(to: folder.file("copy.jpg"))
            let file = try folder.renameToBytes(folder.file("copy.jpg"), "3", ".jpg")
            let viewer = ViewerWindow()
            defer { gtk_window_destroy(viewer.widget.cast()) }
            gtk_window_present(viewer.widget.cast())
            viewer.open([file])
            try await until { !viewer.isLoading }
            #expect(viewer.name.text == "3\u{FFFD}.jpg")
            #expect(viewer.view.image?.pixelSize == PixelSize(width: 1800, height: 1200))
            #expect(viewer.isEnabled(.next) && viewer.isEnabled(.previous))

            perform(.turnRight, in: viewer)
            try await perform(.previous, in: viewer, choosing: "Save")
            try await until { viewer.name.text == "2.jpg" && !viewer.isLoading }
            perform(.next, in: viewer)
            try await until { viewer.name.text == "3\u{FFFD}.jpg" && !viewer.isLoading }
            #expect(viewer.view.image?.pixelSize == PixelSize(width: 1200, height: 1800))

            try await copyAndPasteFile(in: viewer)

            #expect(
                Album(opening: [folder.url]).urls.map(\.name) == [
                    "2.jpg", "3\u{FFFD}.jpg", "10.png", "20.jpg",
                ])
            let screenshot = folder.file("screenshot.png")
            let command = #"exec "$0" --screenshot "$1" "$(printf '%b' "$2")""#
            let words = ["-c", command, BuiltProgram.url(of: "Viewer").path, screenshot.path]
            let name = "\(folder.path)/3\\0377.jpg"
            let process = try ChildProcess(["/bin/sh"] + words + [name])
            #expect(try await process.waitForEnd().status == 0)
            #expect(FileManager.default.fileExists(atPath: screenshot.path))
        }

        @Test func `the viewer is freed when it is closed while it loads`() async throws {
            weak var viewer: ViewerWindow?
            do {
                let opened = ViewerWindow()
                viewer = opened
                gtk_window_present(opened.widget.cast())
                opened.open([folder.file("2.jpg")])
                perform(.close, in: opened)
            }
            try await until { viewer == nil }
        }

        @Test func `the viewer shows files and the pictures of folders in the given order`() throws {
            let other = try TemporaryDirectory()
            try FileManager.default.copyItem(at: folder.file("2.jpg"), to: other.file("1.jpg"))
            func names(_ urls: URL...) -> [String] { Album(opening: urls).urls.map(\.lastPathComponent) }

            let root = URL(fileURLWithPath: folder.path, isDirectory: false)
            #expect(names(other.file("1.jpg"), root) == ["1.jpg", "2.jpg", "10.png", "20.jpg"])
            #expect(names(folder.file("10.png"), folder.file("2.jpg")) == ["10.png", "2.jpg"])
            #expect(names(root) == ["2.jpg", "10.png", "20.jpg"])
            #expect(names(folder.file("20.jpg")) == ["2.jpg", "10.png", "20.jpg"])
            #expect(names(folder.file("notes.txt")) == ["notes.txt"])
            // The path of another host's picture may be that of a folder here.
            #expect(names(try #require(URL(string: "https://example.com\(folder.path)"))).count == 1)
        }
    }
#endif
