import AlcedoLocks
import Glibc
import Synchronization

/// Memory for pixels, 64-byte-aligned; a failed allocation throws ``CodecError/outOfMemory(byteCount:)``.
///
/// The standard library's allocation ends the program instead.
package enum PixelMemory {
    /// Allocates uninitialized bytes; release them with ``free(_:)``.
    package static func allocate(byteCount: Int) throws(CodecError) -> UnsafeMutableRawPointer {
        var memory: UnsafeMutableRawPointer?
        guard posix_memalign(&memory, 64, max(byteCount, 1)) == 0, let memory else {
            throw .outOfMemory(byteCount: byteCount)
        }
        return memory
    }

    package static func free(_ memory: UnsafeMutableRawPointer) { Glibc.free(memory) }

    // MARK: - Bitmaps

    /// The size from which a bitmap gets a mapping of its own.
    private static let mappingThreshold = 4 << 20

    /// Allocates uninitialized memory for a bitmap; release it with ``freeBitmap(_:byteCount:)``.
    ///
    /// Large blocks are mapped, and unmapped soon after use. `malloc` would keep them in fragmented arenas, one for each
    /// thread: an animation took five times the memory of its frames.
    static func allocateBitmap(byteCount: Int) throws(CodecError) -> UnsafeMutableRawPointer {
        if let memory = try currentAllocator?.allocate(byteCount: byteCount) { return memory }
        guard byteCount >= mappingThreshold else { return try allocate(byteCount: byteCount) }
        guard let mapping = SpareMappings.shared.take(byteCount: byteCount) ?? Mapping(byteCount: byteCount)
        else { throw .outOfMemory(byteCount: byteCount) }
        return mapping.memory
    }

    /// Frees memory of ``allocateBitmap(byteCount:)`` of the same size.
    static func freeBitmap(_ memory: UnsafeMutableRawPointer, byteCount: Int) {
        let allocator = currentAllocator
        if let allocator, allocator.free(memory) { return }
        guard byteCount >= mappingThreshold else { return free(memory) }
        let mapping = Mapping(memory: memory, byteCount: byteCount)
        // A worker process has no thread to unmap spare mappings later.
        if allocator != nil { mapping.unmap() } else { SpareMappings.shared.keep(mapping) }
    }

    // MARK: - Custom allocator

    private static let allocator = Lock<(any BitmapAllocator)?>(nil)
    /// Spares the lock in a process without an allocator, which is every one but a worker.
    private static let hasAllocator = Atomic(false)

    private static var currentAllocator: (any BitmapAllocator)? {
        hasAllocator.load(ordering: .relaxed) ? allocator.withLock { $0 } : nil
    }

    package static func setAllocator(_ newAllocator: any BitmapAllocator) {
        allocator.withLock { $0 = newAllocator }
        hasAllocator.store(true, ordering: .releasing)
    }
}

/// A provider of bitmaps' memory: in a worker process, the memory shared with the program.
package protocol BitmapAllocator: AnyObject, Sendable {
    /// Allocates 64-byte-aligned bytes; nil to use the system's memory.
    func allocate(byteCount: Int) throws(CodecError) -> UnsafeMutableRawPointer?

    /// Frees memory; false if it is not the allocator's.
    func free(_ memory: UnsafeMutableRawPointer) -> Bool
}
