#if GTK
    import AlcedoGTK
    import AlcedoTestSupport
    import CGtk4
    import Foundation
    import Testing

    @MainActor
    @Suite(.serialized, .timeLimit(.minutes(10)))
    struct `An image view that loads, in a window` {
        private let loading: ViewLoading
        private let results = Recorder<ViewResult>()

        init() throws { loading = try ViewLoading() }

        @Test func `an image view draws its placeholder and then exactly the image`() async throws {
            let window = try Window { ImageView() }
            let gate = Gate()
            let (placeholder, bitmap) = (try Sample.translucent(12, 8), try Sample.translucent(31, 17))
            let url = loading.serve(Image(bitmap: bitmap), at: "/a", until: gate)
            window.view.kf.setImage(
                with: url, placeholder: Image(bitmap: placeholder), options: loading.options
            ) { [results] in results.append($0) }
            #expect(try window.drawn()?.pixels == placeholder.bytes)
            gate.open()
            await results.waitFor(count: 1)
            // The view was smaller than the image, and so is given fewer pixels at first.
            try await window.run { try window.drawn()?.pixels == bitmap.bytes }
        }

        @Test func `an image view has a spinner in front for as long as it loads`() async throws {
            let window = try Window { ImageView() }
            let gate = Gate()
            let url = loading.serve(Image(bitmap: try Sample.translucent(9, 9)), at: "/a", until: gate)
            window.view.kf.indicatorType = .activity
            let spinner = try #require(window.view.kf.indicator?.view.widget)
            _ = try window.drawn()
            #expect(gtk_widget_get_mapped(spinner) == 0)
            window.view.kf.setImage(
                with: url, placeholder: Image(bitmap: try Sample.translucent(40, 40)),
                options: loading.options
            ) { [results] in results.append($0) }
            #expect(try window.drawn() != nil)
            #expect(gtk_widget_get_mapped(spinner) != 0)
            #expect(gtk_spinner_get_spinning(OpaquePointer(spinner)) != 0)
            gate.open()
            await results.waitFor(count: 1)
            _ = try window.drawn()
            #expect(gtk_widget_get_mapped(spinner) == 0)
            #expect(gtk_spinner_get_spinning(OpaquePointer(spinner)) == 0)
        }

        @Test func `an image view ends a fade with exactly the image`() async throws {
            let window = try Window { ImageView() }
            let bitmap = try Sample.translucent(20, 20)
            window.view.image = try Sample.plain(20, 20, 255, 0, 0)
            _ = try window.drawn()
            let url = loading.serve(Image(bitmap: bitmap), at: "/a")
            window.view.kf.setImage(with: url, options: loading.options + [.transition(.fade(0.1))]) {
                [results] in results.append($0)
            }
            try await window.run { results.count == 1 }
            #expect(try window.drawn()?.pixels == bitmap.bytes)
        }

        @Test
        func `an image view shows the last of 500 URLs whose responses come in any order`() async throws {
            let window = try Window { ImageView() }
            let path = "/any"
            let replies = try (0..<8).map { number in
                let image = try Sample.plain(4, 4, UInt8(number * 30), 0, 0)
                return Reply(body: Array(try #require(image.kf.pngRepresentation())))
            }
            loading.server.route(path) { request in
                let number = request.target.split(separator: "=").last.flatMap { Int($0) } ?? 0
                return replies[number % 8].delay(by: .milliseconds(number * 7919 % 23))
            }
            for number in 0..<500 {
                window.view.kf.setImage(
                    with: loading.server.url("\(path)?n=\(number)"),
                    options: loading.options + (number.isMultiple(of: 3) ? [.transition(.fade(0.02))] : [])
                ) { [results] in results.append($0) }
                if number.isMultiple(of: 50) { _ = try window.drawn() }
                await Task.yield()
            }
            try await window.run { results.count == 500 }
            #expect(try window.drawn()?.pixels.first == UInt8(499 % 8 * 30))
            #expect(window.view.kf.taskIdentifier == nil)
        }

        @Test
        func `an image view stops waiting for a URL that never responds when it is cancelled`() async throws {
            let window = try Window { ImageView() }
            let never = Gate()
            defer { never.open() }
            let placeholder = try Sample.translucent(6, 6)
            let url = loading.serve(Image(bitmap: placeholder), at: "/never", until: never)
            window.view.kf.indicatorType = .activity
            window.view.kf.setImage(
                with: url, placeholder: Image(bitmap: placeholder), options: loading.options
            ) { [results] in results.append($0) }
            #expect(try window.drawn() != nil)
            window.view.kf.cancelDownloadTask()
            await results.waitFor(count: 1)
            #expect(results.values[0].error?.isTaskCancelled == true)
            #expect(try window.drawn()?.pixels == placeholder.bytes, "and no spinner in front of it")
        }

        @Test func `an image view may lose its window while it loads`() async throws {
            let window = try Window { ImageView() }
            let gate = Gate()
            let url = loading.serve(Image(bitmap: try Sample.translucent(9, 9)), at: "/a", until: gate)
            window.view.kf.indicatorType = .activity
            window.view.kf.setImage(with: url, options: loading.options + [.transition(.fade(1))]) {
                [results] in results.append($0)
            }
            _ = try window.drawn()
            window.close()
            gate.open()
            await results.waitFor(count: 1)
            #expect(window.view.image?.pixelSize.width == 9)
        }

        @Test func `an image view may be a picture of an interface that GtkBuilder created`() async throws {
            let ui = """
                <interface><object class="GtkOverlay" id="overlay"><property name="child">
                <object class="GtkPicture" id="picture"/></property></object></interface>
                """
            try #require(gtk_init_check() != 0)
            let builder = gtk_builder_new_from_string(ui, -1)
            defer { g_object_unref(UnsafeMutableRawPointer(builder)) }
            let picture = try #require(
                gtk_builder_get_object(builder, "picture").map { UnsafeMutableRawPointer($0) })
            let window = try Window {
                ImageView(picture: picture.assumingMemoryBound(to: GtkWidget.self))
            } container: { _ in
                gtk_builder_get_object(builder, "overlay").map {
                    UnsafeMutableRawPointer($0).assumingMemoryBound(to: GtkWidget.self)
                }
            }
            let gate = Gate()
            let bitmap = try Sample.translucent(30, 30)
            let url = loading.serve(Image(bitmap: bitmap), at: "/a", until: gate)
            window.view.kf.indicatorType = .activity
            window.view.kf.setImage(
                with: url, placeholder: Image(bitmap: try Sample.translucent(30, 30)),
                options: loading.options
            ) { [results] in results.append($0) }
            let spinner = try #require(window.view.kf.indicator?.view.widget)
            _ = try window.drawn()
            #expect(gtk_widget_get_mapped(spinner) != 0, "in the overlay of the interface")
            gate.open()
            await results.waitFor(count: 1)
            #expect(try window.drawn()?.pixels == bitmap.bytes)
        }

        /// In a process of its own, as other threads may read the environment while it changes.
        @Test func `an image view requests as many pixels as its display has`() async {
            await #expect(processExitsWith: .success) { try await DoubledDisplay.hasAllPixels() }
        }
    }

    @MainActor
    private enum DoubledDisplay {
        static func hasAllPixels() throws {
            try #require(gtk_init_check() != 0)
            setenv("GDK_SCALE", "2", 1)
            let display = try #require(gdk_display_open(nil))
            let window = try Window(on: display) { ImageView() }
            let bitmap = try Sample.translucent(40, 20)
            window.view.image = Image(bitmap: bitmap, scale: 2)
            let drawn = try #require(try window.drawn())
            #expect(window.view.surface.scale == 2)
            #expect(drawn.width == 20 && drawn.height == 10)
            #expect(try window.paintablePixels(width: 40, height: 20) == bitmap.bytes)
            window.close()
        }
    }
#endif
