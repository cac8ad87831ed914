import AlcedoCodecs
import Glibc

extension VideoContainer {
    /// Nil if the file has none of the formats.
    init?(_ file: Int32) {
        var bytes = [UInt8](repeating: 0, count: Self.prefixLength)
        let count = pread(file, &bytes, bytes.count, 0)
        bytes.removeSubrange(max(0, count)...)
        self.init(bytes.span.bytes)
    }
}
