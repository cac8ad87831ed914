import AlcedoLocks
import Glibc
import Synchronization

/// Memory for pixels, 64-byte-aligned; a failed allocation returns nil.
///
/// The standard library's allocation ends the program if memory runs out.
package enum PixelMemory {
    /// `byteCount` bytes of undefined content, to be given to ``free(_:)``.
    package static func allocate(byteCount: Int) throws(CodecError) -> UnsafeMutableRawPointer {
        var memory: UnsafeMutableRawPointer?
        guard posix_memalign(&memory, 64, max(byteCount, 1)) == 0, let memory else {
            throw .outOfMemory(byteCount: byteCount)
        }
        return memory
    }

    /// Frees memory of ``allocate(byteCount:)``.
    package static func free(_ memory: UnsafeMutableRawPointer) { Glibc.free(memory) }

    // MARK: - Bitmaps

    /// The size from which a bitmap gets a mapping of its own.
    private static let worthMapping = 4 << 20

    /// Memory of undefined content for a bitmap's pixels, to be given to ``freeBitmap(_:byteCount:)``.
    ///
    /// Large ones come from the system and go back to it soon. `malloc` would keep them for later, in pieces that the
    /// next one often does not fit, and for each thread its own: an animation took five times the memory of its frames.
    static func allocateBitmap(byteCount: Int) throws(CodecError) -> UnsafeMutableRawPointer {
        if let memory = try currentLender?.allocate(byteCount: byteCount) { return memory }
        guard byteCount >= worthMapping else { return try allocate(byteCount: byteCount) }
        guard let mapping = SpareMappings.shared.take(byteCount: byteCount) ?? Mapping(byteCount: byteCount)
        else { throw .outOfMemory(byteCount: byteCount) }
        return mapping.memory
    }

    /// Frees memory of ``allocateBitmap(byteCount:)`` of the same size.
    static func freeBitmap(_ memory: UnsafeMutableRawPointer, byteCount: Int) {
        let lender = currentLender
        if let lender, lender.free(memory) { return }
        guard byteCount >= worthMapping else { return free(memory) }
        let mapping = Mapping(memory: memory, byteCount: byteCount)
        // A worker process has no thread to unmap spare mappings later.
        if lender != nil { mapping.unmap() } else { SpareMappings.shared.keep(mapping) }
    }

    // MARK: - Lent memory

    private static let lender = Lock<(any BitmapLender)?>(nil)
    private static let hasLender = Atomic(false)

    private static var currentLender: (any BitmapLender)? {
        hasLender.load(ordering: .relaxed) ? lender.withLock { $0 } : nil
    }

    /// Sets the provider of the memory of all later bitmaps.
    package static func setLender(_ newLender: any BitmapLender) {
        lender.withLock { $0 = newLender }
        hasLender.store(true, ordering: .releasing)
    }
}

/// A provider of bitmaps' memory: in a worker process, the memory shared with the program.
package protocol BitmapLender: AnyObject, Sendable {
    /// So many bytes, 64-byte-aligned; nil to have them from the system.
    func allocate(byteCount: Int) throws(CodecError) -> UnsafeMutableRawPointer?

    /// Takes memory back; false if it is not the lender's.
    func free(_ memory: UnsafeMutableRawPointer) -> Bool
}
