#if GTK
    import AlcedoGTK
    import CGtk4
    import ExampleWidgets
    import Foundation

    /// What the user pastes or drops.
    enum Received: Sendable {
        case files([URL])
        case picture(Image)

        static var types: [GType] { [gdk_file_list_get_type(), gdk_texture_get_type()] }

        init?(_ value: UnsafePointer<GValue>) {
            if g_type_is_a(value.pointee.g_type, gdk_file_list_get_type()) != 0 {
                let list = gdk_file_list_get_files(OpaquePointer(g_value_get_boxed(value)))
                defer { g_slist_free(list) }
                self = .files(
                    (0..<g_slist_length(list)).compactMap { url(OpaquePointer(g_slist_nth_data(list, $0))) })
            } else if let texture = g_value_get_object(value), let image = Image(OpaquePointer(texture)) {
                self = .picture(image)
            } else {
                return nil
            }
        }

        /// Reads the clipboard; nil if it has neither files nor a picture.
        @MainActor
        static func read(_ clipboard: OpaquePointer?) async -> Received? {
            for type in types {
                let received: Received? = await withCheckedContinuation { continuation in
                    gdk_clipboard_read_value_async(
                        clipboard, type, G_PRIORITY_DEFAULT, nil,
                        { clipboard, result, context in
                            let value = gdk_clipboard_read_value_finish(
                                clipboard.map { OpaquePointer($0) }, result, nil)
                            Waiting<Received?>.resume(context, value.flatMap { Received($0) })
                        },
                        Waiting(continuation).context)
                }
                if let received { return received }
            }
            return nil
        }
    }

    extension Image {
        /// The pixels of a `GdkTexture`.
        fileprivate convenience init?(_ texture: OpaquePointer) {
            let size = PixelSize(
                width: Int(gdk_texture_get_width(texture)), height: Int(gdk_texture_get_height(texture)))
            var pixels = [UInt8](repeating: 0, count: size.width * size.height * 4)
            gdk_texture_download(texture, &pixels, gsize(size.width * 4))
            try? self.init(pixels: pixels.span.bytes, size: size, layout: PixelLayout(.bgra, .premultiplied))
        }

        /// What other programs get by a drag or from the clipboard: the file, or its bytes if it has none, and the pixels.
        @MainActor
        func content(file: URL?, pixels: Texture? = nil) -> UnsafeMutablePointer<GdkContentProvider>? {
            var providers: [UnsafeMutablePointer<GdkContentProvider>?] = []
            if let file {
                var object = g_file_new_for_uri(file.absoluteString)
                let list = gdk_file_list_new_from_array(&object, 1)
                g_object_unref(UnsafeMutableRawPointer(object))
                providers.append(
                    provider(gdk_file_list_get_type()) { g_value_take_boxed($0, UnsafeRawPointer(list)) })
            } else if let format = info?.format, let data = try? data(as: format) {
                let bytes = data.withUnsafeBytes { g_bytes_new($0.baseAddress, gsize($0.count)) }
                providers.append(gdk_content_provider_new_for_bytes(format.mediaType, bytes))
                g_bytes_unref(bytes)
            }
            if let pixels {
                providers.append(
                    provider(gdk_texture_get_type()) {
                        g_value_set_object($0, UnsafeMutableRawPointer(pixels.handle))
                    })
            }
            return providers.isEmpty
                ? nil : gdk_content_provider_new_union(&providers, gsize(providers.count))
        }
    }

    private func provider(
        _ type: GType, _ set: (UnsafeMutablePointer<GValue>) -> Void
    ) -> UnsafeMutablePointer<GdkContentProvider>? {
        var value = GValue()
        g_value_init(&value, type)
        defer { g_value_unset(&value) }
        set(&value)
        return gdk_content_provider_new_for_value(&value)
    }

    /// Shows the desktop's dialog for files to open, or for a place to save one with a name; empty if it is cancelled.
    @MainActor
    func chooseFiles(
        _ title: String, over window: Widget, in folder: URL?, saving name: String? = nil
    ) async -> [URL] {
        let filter = gtk_file_filter_new()
        gtk_file_filter_set_name(filter, "Pictures")
        gtk_file_filter_add_mime_type(filter, "image/*")
        let folder = folder.map { g_file_new_for_uri($0.absoluteString) }
        defer {
            g_object_unref(UnsafeMutableRawPointer(filter))
            if let folder { g_object_unref(UnsafeMutableRawPointer(folder)) }
        }
        return await withCheckedContinuation { continuation in
            alcedo_gtk_choose_files(
                window.cast(), title, name, folder ?? nil, filter,
                { files, context in
                    let count = files.map { g_list_model_get_n_items($0) } ?? 0
                    let items = (0..<count).map { g_list_model_get_item(files, $0) }
                    defer { items.forEach(g_object_unref) }
                    Waiting<[URL]>.resume(context, items.compactMap { url(OpaquePointer($0)) })
                },
                Waiting(continuation).context)
        }
    }

    /// What becomes of a picture that is not saved.
    enum Choice: Int32 {
        case cancel, discard, save
    }

    /// Shows a question about a picture that is not saved.
    @MainActor
    func ask(_ question: String, _ detail: String, save: String, over window: Widget) async -> Choice {
        await withCheckedContinuation { continuation in
            alcedo_gtk_ask(
                window.cast(), question, detail, "Cancel", "Discard", save,
                { button, context in Waiting<Choice>.resume(context, Choice(rawValue: button) ?? .cancel) },
                Waiting(continuation).context)
        }
    }

    private func url(_ file: OpaquePointer?) -> URL? {
        guard let uri = g_file_get_uri(file) else { return nil }
        defer { g_free(uri) }
        return URL(string: String(cString: uri))
    }

    /// A task that waits for a callback in C.
    private final class Waiting<Value: Sendable> {
        private let continuation: CheckedContinuation<Value, Never>

        init(_ continuation: CheckedContinuation<Value, Never>) { self.continuation = continuation }

        /// For the callback, which resumes it once.
        var context: gpointer { Unmanaged.passRetained(self).toOpaque() }

        static func resume(_ context: gpointer?, _ value: Value) {
            guard let context else { return }
            Unmanaged<Waiting<Value>>.fromOpaque(context).takeRetainedValue().continuation.resume(
                returning: value)
        }
    }
#endif
