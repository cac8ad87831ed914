public import Foundation

/// Reads whole files, for those who have a path and not a URL.
public enum LocalFile {
    /// The content of the regular file at `path`, of at most `limit` bytes; blocks the calling thread.
    public static func read(_ path: String, limit: Int) throws(TransportError) -> Data {
        let file = try OpenFile(path)
        var body = BodyBuffer()
        while body.count <= limit {
            // One byte more than the file should have, so that its end is seen without growing.
            guard let target = body.reserve(1, expected: min(file.size, Int64(limit)) + 1) else {
                throw .fileUnreadable(path: path, reason: "there is no memory for it")
            }
            let count = try file.read(into: target, count: body.room)
            if count == 0 { return body.take() }
            body.commit(count)
        }
        throw .tooLarge(limit: limit, url: path)
    }
}
