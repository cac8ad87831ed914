import Glibc

/// Memory for pixels: 64-byte-aligned, asked for with `malloc`'s manners, and so refused rather than fatal.
///
/// The standard library's own allocation ends the program where the system has none left.
package enum PixelMemory {
    /// `byteCount` bytes of undefined content, to be given to ``free(_:)``.
    package static func allocate(byteCount: Int) throws(CodecError) -> UnsafeMutableRawPointer {
        var memory: UnsafeMutableRawPointer?
        guard posix_memalign(&memory, 64, max(byteCount, 1)) == 0, let memory else {
            throw .outOfMemory(byteCount: byteCount)
        }
        return memory
    }

    /// Gives back what ``allocate(byteCount:)`` gave.
    package static func free(_ memory: UnsafeMutableRawPointer) { Glibc.free(memory) }
}
