import Glibc

/// A file format that videos are read from, told by its first bytes.
///
/// FFmpeg's own search would try the parsers of all its formats on untrusted bytes.
enum Container: String {
    case mov, matroska, avi, mpegts, ogg

    /// Bytes between the starts of two packets of MPEG-TS, and of the variant with a time before each.
    private static let packets = [(start: 0, length: 188), (start: 4, length: 192)]

    /// Boxes that a QuickTime or an MP4 file may start with.
    private static let boxes = ["ftyp", "moov", "mdat", "wide", "free", "skip", "pnot"]

    /// Nil if the file has none of the formats.
    init?(_ file: Int32) {
        var bytes = [UInt8](repeating: 0, count: 400)
        let count = pread(file, &bytes, bytes.count, 0)
        bytes.removeSubrange(max(0, count)...)
        func has(_ text: String, at offset: Int) -> Bool {
            bytes.dropFirst(offset).starts(with: text.utf8)
        }
        if Self.boxes.contains(where: { has($0, at: 4) }) {
            self = .mov
        } else if bytes.starts(with: [0x1A, 0x45, 0xDF, 0xA3]) {
            self = .matroska
        } else if has("RIFF", at: 0), has("AVI ", at: 8) {
            self = .avi
        } else if has("OggS", at: 0) {
            self = .ogg
        } else if Self.packets.contains(where: { packet in
            // The first three packets of either kind.
            stride(from: packet.start, to: 389, by: packet.length).allSatisfy {
                $0 < bytes.count && bytes[$0] == 0x47
            }
        }) {
            self = .mpegts
        } else {
            return nil
        }
    }
}
