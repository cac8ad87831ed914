import CJPEGShim

/// The buffer of libjpeg's error text.
struct JPEGMessage {
    private var characters = [CChar](repeating: 0, count: Int(ALCEDO_JPEG_MESSAGE))

    /// Calls `body` with the buffer for a C string.
    mutating func withBuffer<Result>(_ body: (UnsafeMutablePointer<CChar>?) -> Result) -> Result {
        characters.withUnsafeMutableBufferPointer { body($0.baseAddress) }
    }

    var text: String {
        String(decoding: characters.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
