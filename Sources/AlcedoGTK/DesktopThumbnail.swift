#if GTK
    public import Alcedo
    import CGtk4
    public import Foundation

    /// Provides the thumbnail of a local file that file managers and other programs of the desktop share.
    ///
    /// They are in `thumbnails` of the user's cache folder, as freedesktop.org's thumbnail specification says. A thumbnail that is
    /// missing or older than its file is created, and so available to other programs; a failure is recorded until the file
    /// changes. Decoding keeps to `DecodeLimits` and runs where images of files do.
    ///
    /// The desktop keeps the thumbnails already: load with the option `cacheMemoryOnly`. While memory has one, changes of
    /// its file go unnoticed.
    public struct DesktopThumbnailImageDataProvider: ImageDataProvider {
        /// The longer side in pixels, for which the specification has a folder each.
        public enum Size: Int, CaseIterable, Sendable {
            case normal = 128
            case large = 256
            case xLarge = 512
            case xxLarge = 1024

            var folder: String {
                switch self {
                case .normal: "normal"
                case .large: "large"
                case .xLarge: "x-large"
                case .xxLarge: "xx-large"
                }
            }
        }

        public let fileURL: URL
        public let size: Size

        /// Whether a missing thumbnail is created, as by default; otherwise the load fails.
        public var createsMissing: Bool

        public let cacheKey: String

        public var contentURL: URL? { fileURL }

        var folder = ThumbnailFolder.ofUser

        /// Creates a provider for one file; the default key is its URL and the size.
        public init(fileURL: URL, size: Size, createsMissing: Bool = true, cacheKey: String? = nil) {
            self.fileURL = fileURL
            self.size = size
            self.createsMissing = createsMissing
            self.cacheKey = cacheKey ?? "\(fileURL.absoluteString)_desktop_\(size.rawValue)"
        }

        /// Reads the thumbnail, or one of a larger size, or creates it; blocks while it reads and writes files.
        ///
        /// - Throws: ``DesktopThumbnailError``, or what decoding the file fails with.
        public func data() async throws -> Data {
            let file = try ThumbnailedFile(fileURL)
            if folder.contains(file) { return try Data(contentsOf: fileURL) }
            for size in Size.allCases where size.rawValue >= self.size.rawValue {
                if let thumbnail = folder.read(size.folder, of: file) { return thumbnail }
            }
            guard createsMissing else { throw DesktopThumbnailError.missing(file: file.path) }
            guard folder.read(ThumbnailFolder.failures, of: file) == nil else {
                throw DesktopThumbnailError.failedBefore(file: file.path)
            }
            do {
                let thumbnail = try await create()
                try Task.checkCancellation()
                return folder.write(thumbnail, to: size.folder, of: file)
            } catch let error as KingfisherError {
                if case .processorError = error {
                    folder.write(ThumbnailFolder.failure, to: ThumbnailFolder.failures, of: file)
                }
                throw error
            }
        }

        /// A PNG of the file's image that is no larger than the image.
        private func create() async throws -> Data {
            let side = CGSize(width: size.rawValue, height: size.rawValue)
            let result = try await Self.manager.retrieveImage(
                with: .provider(LocalFileImageDataProvider(fileURL: fileURL)),
                options: [
                    .processor(DownsamplingImageProcessor(size: side)), .onlyLoadFirstFrame,
                    .cacheLayers(read: .network, write: []),
                ])
            guard let png = result.image.kf.pngRepresentation() else {
                throw DesktopThumbnailError.missing(file: fileURL.path)
            }
            return png
        }

        /// Observers and interceptors of the program's loads see the provider's load only.
        private static let manager = KingfisherManager(
            downloader: ImageDownloader(name: "desktop-thumbnails"), cache: KingfisherManager.shared.cache)
    }

    /// Why there is no thumbnail of a file.
    @nonexhaustive
    public enum DesktopThumbnailError: LocalizedError, Equatable {
        /// There is no such file.
        case noFile(String)
        /// The desktop has no thumbnail of the file, and the provider does not create one.
        case missing(file: String)
        /// The file could not be decoded, and has not changed since.
        case failedBefore(file: String)

        public var errorDescription: String? {
            switch self {
            case .noFile(let path): "Could not find the file \(path)."
            case .missing(let path):
                "The desktop has no thumbnail of \(path). Set createsMissing to create one."
            case .failedBefore(let path):
                "Could not create a thumbnail of \(path): it could not be decoded, and has not changed since."
            }
        }
    }

    /// A file with what its thumbnails say of it.
    struct ThumbnailedFile {
        let path: String

        /// As GLib writes it, which other programs do too.
        let uri: String

        /// In seconds since 1970.
        let modified: Int
        let byteCount: Int

        init(_ url: URL) throws(DesktopThumbnailError) {
            path = url.standardizedFileURL.path
            var status = stat()
            guard url.isFileURL, stat(path, &status) == 0, let text = g_filename_to_uri(path, nil, nil) else {
                throw .noFile(url.isFileURL ? path : url.absoluteString)
            }
            defer { g_free(text) }
            uri = String(cString: text)
            modified = status.st_mtim.tv_sec
            byteCount = Int(status.st_size)
        }

        /// The name of its thumbnails.
        var name: String { Self.name(of: uri) }

        static func name(of uri: String) -> String {
            guard let digest = g_compute_checksum_for_string(G_CHECKSUM_MD5, uri, -1) else { return "" }
            defer { g_free(digest) }
            return String(cString: digest) + ".png"
        }
    }

    /// The folder of a user's thumbnails.
    struct ThumbnailFolder {
        let path: String

        static let failures = "fail/alcedo-\(AlcedoVersion.current)"

        static var ofUser: ThumbnailFolder {
            ThumbnailFolder(path: String(cString: g_get_user_cache_dir()) + "/thumbnails")
        }

        /// A thumbnail is its own.
        func contains(_ file: ThumbnailedFile) -> Bool { file.path.hasPrefix(path + "/") }

        /// The thumbnail in a folder if it is as new as the file.
        func read(_ folder: String, of file: ThumbnailedFile) -> Data? {
            let path = "\(path)/\(folder)/\(file.name)"
            var status = stat()
            guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size <= 32 << 20,
                let data = try? Data(contentsOf: URL(fileURLWithPath: path))
            else { return nil }
            let texts = PNGTexts(of: data).values
            guard texts["Thumb::URI"] == file.uri, texts["Thumb::MTime"].flatMap({ Int($0) }) == file.modified
            else { return nil }
            return data
        }

        /// Writes a thumbnail for other programs, whole or not at all; returns it with what it says of its file.
        @discardableResult
        func write(_ png: Data, to folder: String, of file: ThumbnailedFile) -> Data {
            let data = PNGTexts(values: [
                "Thumb::URI": file.uri, "Thumb::MTime": String(file.modified),
                "Thumb::Size": String(file.byteCount), "Software": "Alcedo",
            ]).added(to: png)
            let target = "\(path)/\(folder)"
            // Private, as the specification wants it. A full or read-only disk is no reason to fail.
            guard g_mkdir_with_parents(target, 0o700) == 0 else { return data }
            let bytes = [UInt8](data)
            g_file_set_contents_full(
                "\(target)/\(file.name)", bytes, gssize(bytes.count), G_FILE_SET_CONTENTS_CONSISTENT, 0o600,
                nil)
            return data
        }

        /// A transparent pixel.
        static let failure =
            Data(
                base64Encoded: """
                    iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAAC0lEQVR42mNgAAIAAAUAAen63NgAAAAASUVORK5CYII=
                    """) ?? Data()
    }

    /// The `tEXt` chunks of a PNG.
    struct PNGTexts {
        var values: [String: String] = [:]

        /// The bytes before the header's end: signature, and IHDR with its length, name and checksum.
        private static let headerEnd = 33

        init(values: [String: String]) { self.values = values }

        /// Reads those of a PNG, also of a damaged one.
        init(of png: Data) {
            let bytes = [UInt8](png)
            var start = 8
            while start + 12 <= bytes.count {
                let count = bytes[start..<start + 4].reduce(0) { $0 << 8 | Int($1) }
                let body = start + 8
                guard count <= bytes.count - body - 4 else { return }
                if bytes[start + 4..<body].elementsEqual("tEXt".utf8) {
                    let parts = bytes[body..<body + count].split(
                        separator: 0, maxSplits: 1, omittingEmptySubsequences: false)
                    if parts.count == 2 {
                        values[String(decoding: parts[0], as: UTF8.self)] = String(
                            decoding: parts[1], as: UTF8.self)
                    }
                }
                start = body + count + 4
            }
        }

        /// The PNG with these chunks after its header.
        func added(to png: Data) -> Data {
            guard png.count >= Self.headerEnd else { return png }
            var chunks: [UInt8] = []
            for (name, value) in values.sorted(by: { $0.key < $1.key }) {
                let body = Array("tEXt".utf8) + Array(name.utf8) + [0] + Array(value.utf8)
                chunks += Self.bigEndian(UInt32(body.count - 4)) + body
                chunks += Self.bigEndian(Self.checksum(body))
            }
            return png.prefix(Self.headerEnd) + chunks + png.dropFirst(Self.headerEnd)
        }

        private static func bigEndian(_ value: UInt32) -> [UInt8] {
            [24, 16, 8, 0].map { UInt8(value >> $0 & 0xFF) }
        }

        /// The CRC-32 of PNG.
        private static func checksum(_ bytes: [UInt8]) -> UInt32 {
            ~bytes.reduce(~UInt32(0)) { sum, byte in
                (0..<8).reduce(sum ^ UInt32(byte)) { sum, _ in sum >> 1 ^ (sum & 1 == 0 ? 0 : 0xEDB8_8320) }
            }
        }
    }
#endif
