/// Encoded bytes at a fixed address for the lifetime of this object, for decoders of many frames.
public final class EncodedBytes {
    /// The bytes; valid for the lifetime of this object.
    public let buffer: UnsafeRawBufferPointer

    private let owner: AnyObject?
    private let copy: UnsafeMutableRawBufferPointer?

    /// Shares bytes for as long as `owner` lives, which must not change or free them; with nil, the caller sees to that.
    public init(sharing buffer: UnsafeRawBufferPointer, of owner: AnyObject?) {
        self.buffer = buffer
        self.owner = owner
        copy = nil
    }

    /// Copies `bytes`, and frees the copy with this object.
    public init(copying bytes: RawSpan) {
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.byteCount, alignment: 16)
        bytes.withUnsafeBytes { copy.copyMemory(from: $0) }
        buffer = UnsafeRawBufferPointer(copy)
        owner = nil
        self.copy = copy
    }

    deinit { copy?.deallocate() }

    /// Calls `body` with bytes that are shared only for so long.
    package static func lending<Result>(
        _ bytes: RawSpan,
        _ body: (EncodedBytes) throws(CodecError) -> Result
    ) throws(CodecError) -> Result {
        try bytes.withUnsafeBytes { buffer throws(CodecError) in
            try body(EncodedBytes(sharing: buffer, of: nil))
        }
    }
}
