/// A file format that videos are read from, told by its first bytes.
///
/// FFmpeg's own search would try the parsers of all its formats on untrusted bytes. Its names are the raw values.
package enum VideoContainer: String, Sendable {
    case mov, matroska, avi, mpegts, ogg

    /// First bytes that are enough to tell.
    package static let prefixLength = 400

    /// Bytes between the starts of two packets of MPEG-TS, and of the variant with a time before each.
    private static let packets = [(start: 0, length: 188), (start: 4, length: 192)]

    /// Boxes that a QuickTime or an MP4 file may start with.
    private static let boxes: [StaticString] = ["ftyp", "moov", "mdat", "wide", "free", "skip", "pnot"]

    /// Nil if a file that starts with `bytes` has none of the formats; HEIC and AVIF start like MP4.
    package init?(_ bytes: RawSpan) {
        if Self.boxes.contains(where: { bytes.has($0, at: 4) }) {
            self = .mov
        } else if bytes.u32BE(0) == 0x1A45_DFA3 {
            self = .matroska
        } else if bytes.has("RIFF", at: 0), bytes.has("AVI ", at: 8) {
            self = .avi
        } else if bytes.has("OggS", at: 0) {
            self = .ogg
        } else if Self.packets.contains(where: { packet in
            // The first three packets of either kind.
            stride(from: packet.start, to: 389, by: packet.length).allSatisfy { bytes.has("G", at: $0) }
        }) {
            self = .mpegts
        } else {
            return nil
        }
    }

    /// Whether a file that starts with `bytes` may be a video, and is no picture, also of a format that this build lacks.
    package static func recognizes(_ bytes: RawSpan, codecs: CodecRegistry) -> Bool {
        VideoContainer(bytes) != nil && codecs.codec(for: bytes) == nil && AbsentFormat(bytes) == nil
    }
}
