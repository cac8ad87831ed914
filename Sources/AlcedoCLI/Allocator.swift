import AlcedoLocks
import CMalloc
import Glibc

/// glibc's allocator, set for a program whose large blocks are files and pixels.
///
/// By default the threshold from which a block is mapped by itself, and returned to the system when it is freed, rises up to
/// 32 MiB with the blocks that are freed, and each thread may get a heap of its own, of which only the end is returned. A
/// server keeps hundreds of megabytes for good that way.
enum Allocator {
    /// The least bytes of a block that is mapped by itself: less than the pixels of a large image, and more than most files,
    /// whose pages would have to be mapped anew each time.
    private static let mappedBlock: Int32 = 8 << 20

    /// The most bytes at the end of a heap that stay when they are freed.
    private static let keptEnd: Int32 = 1 << 20

    /// Sets the allocator, unless the environment does; to be called before any thread starts.
    static func configure() {
        let variables = [
            "GLIBC_TUNABLES", "MALLOC_MMAP_THRESHOLD_", "MALLOC_TRIM_THRESHOLD_", "MALLOC_ARENA_MAX",
        ]
        guard variables.allSatisfy({ getenv($0) == nil }) else { return }
        mallopt(M_MMAP_THRESHOLD, mappedBlock)
        mallopt(M_TRIM_THRESHOLD, keptEnd)
        mallopt(M_ARENA_MAX, Int32(clamping: max(2, ProcessorCount.usable)))
    }
}
