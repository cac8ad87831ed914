import Foundation

/// A regular file, open for reading; closed with its last reference.
final class OpenFile: Sendable {
    let path: String

    /// The size when the file was opened; it can change before it is read.
    let size: Int64

    let descriptor: Int32

    /// Opens with `O_NONBLOCK`, so that a pipe or a device is rejected without blocking.
    init(_ path: String) throws(TransportError) {
        let descriptor = open(path.systemBytes, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw .fileUnreadable(path: path, reason: Self.reason(errno)) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            let reason = Self.reason(errno)
            close(descriptor)
            throw .fileUnreadable(path: path, reason: reason)
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw .fileUnreadable(path: path, reason: "it is not a regular file")
        }
        self.path = path
        self.descriptor = descriptor
        size = Int64(status.st_size)
    }

    deinit { close(descriptor) }

    /// Reads to the end, and calls `chunk` with each part and the number of bytes so far.
    func contents(
        expected: Int64, _ chunk: (UnsafeRawBufferPointer, Int64) throws(TransportError) -> Void
    ) throws(TransportError) -> Data {
        var body = BodyBuffer()
        while true {
            // One byte more than the size, so that the read at the end needs no growth.
            guard let target = body.reserve(1, expected: expected + 1) else {
                throw .fileUnreadable(path: path, reason: "out of memory")
            }
            let count = try read(into: target, count: body.room)
            if count == 0 { return body.take() }
            body.commit(count)
            try chunk(UnsafeRawBufferPointer(start: target, count: count), Int64(body.count))
        }
    }

    /// Reads at most `count` bytes from the current position; 0 at the end of the file.
    private func read(into target: UnsafeMutableRawPointer, count: Int) throws(TransportError) -> Int {
        while true {
            let result = Foundation.read(descriptor, target, count)
            if result >= 0 { return result }
            guard errno == EINTR else { throw .fileUnreadable(path: path, reason: Self.reason(errno)) }
        }
    }

    private static func reason(_ code: Int32) -> String { String(cString: strerror(code)) }
}
