/// Bytes that replies share, at a fixed address for `sendmsg`.
///
/// Safe because nothing writes to the memory after `init`, and only `deinit` frees it.
package final class Payload: @unchecked Sendable {
    let base: UnsafeRawPointer

    /// The number of bytes.
    package let count: Int

    /// Copies `bytes`, once.
    package init(_ bytes: some Collection<UInt8>) {
        count = bytes.count
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: max(count, 1), alignment: 16)
        memory.copyBytes(from: bytes)
        base = UnsafeRawPointer(memory.baseAddress.unsafelyUnwrapped)
    }

    deinit { base.deallocate() }
}
