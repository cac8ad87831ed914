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

    // MARK: - Bitmaps

    /// Bytes from which on a bitmap is mapped by itself.
    private static let worthMapping = 4 << 20

    /// Memory for a bitmap's pixels, to be given to ``freeBitmap(_:byteCount:)``.
    ///
    /// Large ones come from the system and go back to it at once. `malloc` would keep them for later, in pieces that the
    /// next one often does not fit, and for each thread its own: an animation took five times the memory of its frames.
    static func allocateBitmap(byteCount: Int) throws(CodecError) -> UnsafeMutableRawPointer {
        guard byteCount >= worthMapping else { return try allocate(byteCount: byteCount) }
        let memory = mmap(nil, byteCount, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let memory, memory != MAP_FAILED else { throw .outOfMemory(byteCount: byteCount) }
        // The first touch of each of thousands of small pages takes longer than most that is done to a pixel.
        madvise(memory, byteCount, MADV_HUGEPAGE)
        return memory
    }

    /// Gives back what ``allocateBitmap(byteCount:)`` gave for as many bytes.
    static func freeBitmap(_ memory: UnsafeMutableRawPointer, byteCount: Int) {
        if byteCount >= worthMapping { munmap(memory, byteCount) } else { free(memory) }
    }
}
