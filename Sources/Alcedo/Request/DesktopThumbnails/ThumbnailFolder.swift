import AlcedoCaches
import AlcedoCodecs
import AlcedoTransport
import Foundation

/// A file with what its thumbnails say of it.
struct ThumbnailedFile: Sendable {
    let path: String

    /// As GLib writes it: its MD5 is the name of the thumbnail, so that with other escapes programs would not find it.
    let uri: String

    /// In seconds since 1970.
    let modified: Int
    let byteCount: Int

    /// Blocks while the file system looks for the file.
    init(_ url: URL) throws(DesktopThumbnailError) {
        guard url.isFileURL else { throw .noFile(url.absoluteString) }
        path = url.standardizedFileURL.filePath
        var status = stat()
        guard stat(path.systemBytes, &status) == 0 else { throw .noFile(path) }
        uri = Self.uri(of: path)
        modified = status.modificationSecond
        byteCount = Int(status.st_size)
    }

    static func uri(of path: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        let escaped = path.systemBytes.dropLast().flatMap { character -> [UInt8] in
            let byte = UInt8(bitPattern: character)
            return plain.contains(byte) ? [byte] : [0x25, digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        }
        return "file://" + String(decoding: escaped, as: UTF8.self)
    }

    /// The characters that GLib leaves in a URI without an escape.
    private static let plain = Set(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.!~*'()/&=:@+$,".utf8)

    /// The name of its thumbnails; nil if the system has no MD5.
    var name: String? { md5Hex(uri).map { $0 + ".png" } }

    /// A PNG with what it has to say of this file.
    func described(_ png: Data) -> Data {
        let texts: [(keyword: String, text: String)] = [
            ("Thumb::URI", uri), ("Thumb::MTime", "\(modified)"), ("Thumb::Size", "\(byteCount)"),
            ("Software", "Alcedo"),
        ]
        return Data(PNGTexts.adding(texts, to: Array(png)))
    }

    /// Whether a thumbnail is one of this file, as it is now.
    func isDescribed(by png: Data) -> Bool {
        let texts = PNGTexts.read(png.bytes)
        return texts["Thumb::URI"] == uri && texts["Thumb::MTime"] == "\(modified)"
            && texts["Thumb::Size"].map { $0 == "\(byteCount)" } != false
    }
}

/// The folder of a user's thumbnails, whose functions block while they use it.
struct ThumbnailFolder: Sendable {
    struct Entry: Sendable {
        let folder: String
        let file: ThumbnailedFile
        let data: Data
    }

    let path: String

    /// Of this program and version, as another one may decode more.
    static let failures = "fail/alcedo-\(AlcedoVersion.current)"

    static var ofUser: ThumbnailFolder {
        let caches = FileManager.default.urls(for: .cachesDirectory, in: .userDomainMask).first
        return ThumbnailFolder(path: (caches?.path ?? NSHomeDirectory() + "/.cache") + "/thumbnails")
    }

    /// A thumbnail is its own.
    func contains(_ file: ThumbnailedFile) -> Bool { file.path.hasPrefix(path + "/") }

    /// The complete thumbnail in a folder, if it is of the file as it is now.
    func read(
        _ folder: String, of file: ThumbnailedFile, _ reading: FileQueue.Reading, _ limits: DecodeLimits
    ) -> Data? {
        guard let name = file.name,
            let data = try? LocalFile.read(
                "\(path)/\(folder)/\(name)", limit: min(limits.encodedBytes, 32 << 20), in: reading),
            file.isDescribed(by: data), let info = try? codecs.info(of: data.bytes, limits: limits),
            info.format == .png, info.isComplete
        else { return nil }
        return data
    }

    /// Writes an entry for other programs, whole or not at all; a full or read-only disk is no failure.
    func write(_ entry: Entry) {
        guard let name = entry.file.name else { return }
        let folder = "\(path)/\(entry.folder)"
        Self.makeFolder(folder)
        let staging = "\(folder)/.\(UUID().uuidString)"
        let descriptor = open(staging, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return }
        let output = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        do {
            try output.write(contentsOf: entry.data)
            try output.close()
            guard rename(staging, "\(folder)/\(name)") == 0 else { throw CocoaError(.fileWriteUnknown) }
        } catch {
            unlink(staging)
        }
    }

    /// Private, with the folders around it, as the specification wants them.
    private static func makeFolder(_ path: String) {
        guard mkdir(path, 0o700) != 0, errno == ENOENT, let end = path.lastIndex(of: "/"),
            end > path.startIndex
        else { return }
        makeFolder(String(path[..<end]))
        mkdir(path, 0o700)
    }

    /// A transparent pixel.
    static let failure =
        Data(
            base64Encoded: """
                iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAAC0lEQVR42mNgAAIAAAUAAen63NgAAAAASUVORK5CYII=
                """) ?? Data()
}
