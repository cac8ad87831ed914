import AlcedoCodecs
import AlcedoPixels
import Glibc

/// Whether a file has all the bytes that its container announces.
///
/// A duration in the headers does not tell: FFmpeg takes the usual duration of a frame for the last one, which may be shown
/// for many seconds, as is the only frame of some files.
struct FileEnd {
    private let file: Int32
    private let container: VideoContainer

    init(_ file: Int32, _ container: VideoContainer) { (self.file, self.container) = (file, container) }

    /// False if bytes are missing, or where the container does not tell.
    func isWhole(deadline: Deadline) throws(CodecError) -> Bool {
        switch container {
        case .matroska: try endsMatroska(deadline)
        case .avi: try endsAVI(deadline)
        case .ogg: endsOgg
        // These have the duration of the last frame, or nothing.
        case .mov, .mpegts: false
        }
    }

    private var size: Int { Int(lseek(file, 0, SEEK_END)) }

    /// Up to `count` bytes at `offset`.
    private func bytes(_ count: Int, at offset: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let read = pread(file, &bytes, count, off_t(offset))
        bytes.removeSubrange(max(0, read)...)
        return bytes
    }

    // MARK: - Matroska (RFC 9559, RFC 8794)

    private struct Element {
        let name: Int
        /// Where its content starts and ends.
        let content: Range<Int>
    }

    /// Whether the elements of the segment fill it.
    private func endsMatroska(_ deadline: Deadline) throws(CodecError) -> Bool {
        guard let head = element(at: 0), let segment = element(at: head.content.upperBound),
            segment.name == 0x1853_8067, segment.content.upperBound <= size
        else { return false }
        var offset = segment.content.lowerBound
        while offset < segment.content.upperBound {
            try deadline.check()
            guard let next = element(at: offset) else { return false }
            offset = next.content.upperBound
        }
        return offset == segment.content.upperBound
    }

    /// Nil for none, and for one of unknown size.
    private func element(at offset: Int) -> Element? {
        let bytes = bytes(12, at: offset)
        guard let first = bytes.first, first >= 0x10 else { return nil }
        let nameBytes = first.leadingZeroBitCount + 1
        guard nameBytes < bytes.count, bytes[nameBytes] > 0 else { return nil }
        let sizeBytes = bytes[nameBytes].leadingZeroBitCount + 1
        guard nameBytes + sizeBytes <= bytes.count else { return nil }
        func number(_ range: Range<Int>) -> Int { bytes[range].reduce(0) { $0 << 8 | Int($1) } }
        let most = 1 << (7 * sizeBytes) - 1
        let count = number(nameBytes..<nameBytes + sizeBytes) & most
        let start = offset + nameBytes + sizeBytes
        // A size whose bits are all 1 is unknown.
        guard count < most, count <= Int(Int64.max >> 1) - start else { return nil }
        return Element(name: number(0..<nameBytes), content: start..<start + count)
    }

    // MARK: - AVI

    /// Whether all RIFF chunks, of which a large file has several, are there.
    private func endsAVI(_ deadline: Deadline) throws(CodecError) -> Bool {
        var offset = 0
        while true {
            try deadline.check()
            let head = bytes(8, at: offset)
            guard head.count == 8, head.starts(with: "RIFF".utf8) else { return offset > 0 }
            let count = head[4...].reversed().reduce(0) { $0 << 8 | Int($1) }
            guard offset + 8 + count <= size else { return false }
            offset += 8 + count + count % 2
        }
    }

    // MARK: - Ogg (RFC 3533)

    private static let pageHeader = 27

    /// Whether the last page is whole and ends its stream.
    private var endsOgg: Bool {
        let mostBytes = Self.pageHeader + 255 + 255 * 255
        let tail = bytes(mostBytes, at: max(0, size - mostBytes))
        let mark = Array("OggS".utf8)
        for start in stride(from: tail.count - Self.pageHeader, through: 0, by: -1)
        where tail[start] == mark[0] && tail[start...].starts(with: mark) {
            let segments = start + Self.pageHeader + Int(tail[start + Self.pageHeader - 1])
            guard segments <= tail.count else { continue }
            let end = tail[(start + Self.pageHeader)..<segments].reduce(segments) { $0 + Int($1) }
            if end == tail.count { return tail[start + 5] & 4 != 0 }
        }
        return false
    }
}
