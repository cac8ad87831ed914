import AlcedoLocks

extension LoopbackServer {
    /// Serves `path` with these bytes, and the part of them that a request's `Range` names.
    ///
    /// `headers` gives those of each response by its number, from 1. A tag in `If-Range` counts if it `checksTags`.
    package func serveParts(
        _ path: String, _ bytes: [UInt8], checksTags: Bool = true,
        headers: @escaping @Sendable (Int) -> [(String, String)] = { _ in [] }
    ) {
        let count = Lock(0)
        route(path) { request in
            let number = count.withLock { count in
                count += 1
                return count
            }
            let headers = headers(number)
            let tag = headers.first { $0.0 == "ETag" }?.1
            let isSame = !checksTags || request.header("If-Range").map { $0 == tag } ?? true
            guard isSame, let ends = request.header("Range").flatMap(Self.ends), ends.first < bytes.count
            else { return Reply(body: bytes, headers: headers) }
            let last = min(ends.last, bytes.count - 1)
            let range = ("Content-Range", "bytes \(ends.first)-\(last)/\(bytes.count)")
            return Reply(status: 206, body: Array(bytes[ends.first...last]), headers: headers + [range])
        }
    }

    private static func ends(of range: String) -> (first: Int, last: Int)? {
        guard let match = range.wholeMatch(of: /bytes=([0-9]+)-([0-9]+)/), let first = Int(match.1),
            let last = Int(match.2), first <= last
        else { return nil }
        return (first, last)
    }
}

extension Fixture {
    /// Twenty grey frames of 64×48 in two seconds, with three MiB that a player skips between them and the index.
    package static func videoWithLateIndex() throws -> [UInt8] {
        let file = try data("video/h264.mp4")
        let index = 32 + 8 + 394
        let gap = 3 << 20
        let box = [UInt8(gap >> 24), UInt8(gap >> 16 & 255), UInt8(gap >> 8 & 255), UInt8(gap & 255)]
        let free = box + Array("free".utf8) + [UInt8](repeating: 0, count: gap - 8)
        return Array(file[..<index]) + free + Array(file[index...])
    }
}
