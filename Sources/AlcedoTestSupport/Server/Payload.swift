/// Bytes that many replies share; their address does not change, so that the kernel can gather them.
///
/// Safe because nothing writes to the memory after `init`, and only `deinit` frees it.
package final class Payload: @unchecked Sendable {
    let base: UnsafeRawPointer

    /// How many bytes.
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
