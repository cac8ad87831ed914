import Alcedo
import AlcedoCodecs
import Foundation
import Glibc

/// A file below the root of local sources.
struct LocalSource: Sendable {
    private let descriptor: FileHandle
    private let size: Int
    let head: SourceHead

    /// Opens `path`, which starts with `/`, below `root`.
    ///
    /// The file that was opened is checked, so that no link leads out of the root, not even one that changes meanwhile.
    init(_ path: String, below root: String) throws(RequestFailure) {
        func missing(_ reason: String) -> RequestFailure {
            .unreachable("the file \(path) \(reason) in the local root")
        }
        let names = path.utf8.split(separator: .slash)
        guard !path.utf8.contains(0), !names.contains(where: { $0.elementsEqual("..".utf8) }) else {
            throw missing("has an invalid path")
        }
        guard let folder = realpath(root, nil) else {
            throw .internalError("the root of local sources does not exist: \(root)")
        }
        defer { free(folder) }
        let opened = open(root + "/" + path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard opened >= 0 else { throw missing("can't be opened (\(String(cString: strerror(errno))))") }
        descriptor = FileHandle(fileDescriptor: opened, closeOnDealloc: true)
        // As bytes: two texts that Swift finds equal may be two folders.
        var place = Array(UnsafeRawBufferPointer(start: folder, count: strlen(folder)))
        if place.last != .slash { place.append(.slash) }
        guard let real = Self.path(of: opened), real.starts(with: place) else { throw missing("is not") }
        var status = stat()
        guard fstat(opened, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw missing("is no regular file")
        }
        size = Int(status.st_size)
        let nanoseconds =
            UInt64(bitPattern: Int64(status.st_mtim.tv_sec)) &* 1_000_000_000
            &+ UInt64(status.st_mtim.tv_nsec)
        let tag = [Self.hash(path), UInt64(status.st_size), nanoseconds].map { String($0, radix: 36) }
        let modified = Date(timeIntervalSince1970: Double(status.st_mtim.tv_sec))
        head = SourceHead(
            etag: "\"\(tag.joined(separator: "-"))\"", lastModified: HTTPDate.text(of: modified))
    }

    /// The bytes; throws if there are more than `limit`.
    func data(limit: Int) throws(RequestFailure) -> Data {
        guard size <= limit else {
            throw .invalidSource("the file has \(size) bytes, the limit is \(limit)")
        }
        // One byte more shows that the file has grown.
        let data: Data?
        do { data = try descriptor.read(upToCount: limit == .max ? limit : limit + 1) } catch {
            throw .unreachable("the file can't be read: \(error)", kind: .io)
        }
        guard let data else { return Data() }
        guard data.count <= limit else { throw .invalidSource("the file has more than \(limit) bytes") }
        return data
    }

    /// Whether it starts as a video does.
    var isVideo: Bool {
        var start = [UInt8](repeating: 0, count: VideoContainer.prefixLength)
        let count = pread(descriptor.fileDescriptor, &start, start.count, 0)
        start.removeSubrange(max(0, count)...)
        return VideoContainer.recognizes(start.span.bytes, codecs: codecs)
    }

    /// Runs `body` with the descriptor, which has been read from.
    func withDescriptor<Value, Failure: Error>(
        _ body: (Int32) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        try body(descriptor.fileDescriptor)
    }

    private static func path(of descriptor: Int32) -> ArraySlice<UInt8>? {
        var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX) + 1)
        let count = buffer.withUnsafeMutableBytes { bytes in
            guard let base = bytes.baseAddress else { return 0 }
            return readlink("/proc/self/fd/\(descriptor)", base, Int(PATH_MAX))
        }
        return count > 0 ? buffer[..<count] : nil
    }

    /// FNV-1a.
    private static func hash(_ text: String) -> UInt64 {
        text.utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    }
}

/// The calls that wait for a file system.
struct FileAccess: Sendable {
    /// Opens a local source below a root.
    var open: @Sendable (_ path: String, _ root: String) throws(RequestFailure) -> LocalSource = {
        path, root throws(RequestFailure) in try LocalSource(path, below: root)
    }

    /// The number, size and time of a file that settings name; nil if there is none.
    var stamp: @Sendable (_ path: String) -> String? = { path in
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        return "\(status.st_ino) \(status.st_size) \(status.st_mtim.tv_sec) \(status.st_mtim.tv_nsec)"
    }

    /// Reads a file that settings name; nil if it can't be read.
    var read: @Sendable (_ path: String) -> Data? = { try? Data(contentsOf: URL(filePath: $0)) }
}
