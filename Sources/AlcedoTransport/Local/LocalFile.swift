public import Foundation

/// Reads whole files by their path.
public enum LocalFile {
    /// Calls `body` with the descriptor of the regular file at `path`, which is open for reading only for so long.
    package static func withDescriptor<Result>(
        of path: String, _ body: (Int32) throws -> Result
    ) throws -> Result {
        let file = try OpenFile(path)
        return try withExtendedLifetime(file) { try body(file.descriptor) }
    }

    /// The content of the regular file at `path`, of at most `limit` bytes; blocks the calling thread.
    public static func read(_ path: String, limit: Int) throws(TransportError) -> Data {
        let file = try OpenFile(path)
        var body = BodyBuffer()
        while body.count <= limit {
            // One byte more than the size, so that the read at the end needs no growth.
            guard let target = body.reserve(1, expected: min(file.size, Int64(limit)) + 1) else {
                throw .fileUnreadable(path: path, reason: "out of memory")
            }
            let count = try file.read(into: target, count: body.room)
            if count == 0 { return body.take() }
            body.commit(count)
        }
        throw .tooLarge(limit: limit, url: path)
    }
}
