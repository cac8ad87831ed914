#if GTK
    import Alcedo
    import CGtk4
    import Foundation

    /// A file or folder by its bytes: names need not be UTF-8, and Foundation would repair those that are not.
    final class File {
        private let handle: OpaquePointer

        private init?(_ handle: OpaquePointer?) {
            guard let handle else { return nil }
            self.handle = handle
        }

        /// Nil for the URL of something else.
        convenience init?(_ url: URL) {
            guard url.isFileURL else { return nil }
            self.init(g_file_new_for_uri(url.absoluteString))
        }

        /// A word of the command line.
        convenience init?(word: UnsafePointer<CChar>) { self.init(g_file_new_for_commandline_arg(word)) }

        deinit { g_object_unref(UnsafeMutableRawPointer(handle)) }

        /// As GIO writes it, so that those of one file are equal.
        var url: URL? { text(g_file_get_uri(handle)).flatMap { URL(string: $0) } }

        var folder: File? { File(g_file_get_parent(handle)) }

        /// The name for users.
        var name: String? {
            guard let bytes = g_file_get_basename(handle) else { return nil }
            defer { g_free(bytes) }
            return text(g_filename_display_name(bytes))
        }

        /// The pictures in a folder by their names, `2.jpg` before `10.jpg`; nil if it is none or cannot be read.
        var pictures: [URL]? {
            guard let path = g_file_get_path(handle) else { return nil }
            defer { g_free(path) }
            guard let folder = g_dir_open(path, 0, nil) else { return nil }
            defer { g_dir_close(folder) }
            var found: [(name: String, url: URL)] = []
            while let bytes = g_dir_read_name(folder) {
                let file = File(g_file_get_child(handle, bytes))
                guard let name = file?.name, let url = file?.url, !name.hasPrefix("."), isPicture(name) else {
                    continue
                }
                found.append((name, url))
            }
            return found.sorted {
                let order = $0.name.compare($1.name, options: [.numeric, .caseInsensitive])
                return order == .orderedSame
                    ? $0.url.absoluteString < $1.url.absoluteString : order == .orderedAscending
            }.map { $0.url }
        }

        private func isPicture(_ name: String) -> Bool {
            let format = EncodedFormat(fileExtension: (name as NSString).pathExtension)
            return format != nil && format != .video
        }

        /// Replaces the content, of a link's file for a link.
        func write(_ data: Data) throws {
            var error: UnsafeMutablePointer<GError>?
            let isWritten = data.withUnsafeBytes { bytes in
                g_file_replace_contents(
                    handle, bytes.bindMemory(to: CChar.self).baseAddress, gsize(bytes.count), nil, 0,
                    GFileCreateFlags(rawValue: 0), nil, nil, &error)
            }
            guard isWritten == 0 else { return }
            defer { g_clear_error(&error) }
            throw Failure(error.map { String(cString: $0.pointee.message) } ?? "Could not write the file.")
        }

        private func text(_ bytes: UnsafeMutablePointer<CChar>?) -> String? {
            defer { g_free(bytes) }
            return bytes.map { String(cString: $0) }
        }
    }

    extension URL {
        /// The last component for users.
        var name: String { File(self)?.name ?? lastPathComponent }

        /// The format that the name says.
        var format: EncodedFormat? { EncodedFormat(fileExtension: (name as NSString).pathExtension) }
    }
#endif
