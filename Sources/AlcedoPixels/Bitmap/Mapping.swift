import AlcedoLocks
import Dispatch
import Glibc

/// An anonymous mapping, rounded up to whole huge pages.
///
/// Safe because it has one owner at a time.
struct Mapping: @unchecked Sendable, Equatable {
    let memory: UnsafeMutableRawPointer
    let length: Int

    /// One that was made for so many bytes.
    init(memory: UnsafeMutableRawPointer, byteCount: Int) {
        self.memory = memory
        length = Self.length(for: byteCount)
    }

    /// Maps zeroed pages; nil if there is no memory.
    init?(byteCount: Int) {
        let length = Self.length(for: byteCount)
        let memory = mmap(nil, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let memory, memory != MAP_FAILED else { return nil }
        // The first touch of each of thousands of small pages takes longer than most that is done to a pixel. But where the
        // system has no large page at hand, getting one takes longer than touching a few megabytes.
        if length >= Self.worthLargePages { madvise(memory, length, MADV_HUGEPAGE) }
        self.memory = memory
        self.length = length
    }

    /// Bytes from which on a mapping has large pages.
    private static let worthLargePages = 16 << 20

    func unmap() { munmap(memory, length) }

    static func length(for byteCount: Int) -> Int {
        let hugePage = 2 << 20
        let (sum, overflow) = byteCount.addingReportingOverflow(hugePage - 1)
        return overflow ? byteCount : sum / hugePage * hugePage
    }
}

/// Unused mappings, for the next bitmap of the same size.
///
/// The kernel takes as long to clear pages as many processors take to write them. Mappings are unmapped after 1 s.
final class SpareMappings: Sendable {
    static let shared = SpareMappings()

    /// The most bytes that wait.
    private static let limit = 64 << 20

    private static let patience = Duration.seconds(1)

    private struct State {
        /// The one that was given back last is the last.
        var spares: [(mapping: Mapping, since: ContinuousClock.Instant)] = []
        var byteCount = 0
        var isWatched = false

        mutating func remove(at index: Int) -> Mapping {
            let mapping = spares.remove(at: index).mapping
            byteCount -= mapping.length
            return mapping
        }
    }

    private let state = Lock(State())

    /// One for so many bytes, of undefined content; nil if none has the size.
    func take(byteCount: Int) -> Mapping? {
        let length = Mapping.length(for: byteCount)
        return state.withLock { state in
            state.spares.lastIndex { $0.mapping.length == length }.map { state.remove(at: $0) }
        }
    }

    func keep(_ mapping: Mapping) {
        guard mapping.length <= Self.limit else { return mapping.unmap() }
        let (surplus, starts) = state.withLock { state in
            state.spares.append((mapping, .now))
            state.byteCount += mapping.length
            var surplus: [Mapping] = []
            while state.byteCount > Self.limit { surplus.append(state.remove(at: 0)) }
            let starts = !state.isWatched
            state.isWatched = true
            return (surplus, starts)
        }
        for mapping in surplus { mapping.unmap() }
        if starts { watch() }
    }

    /// Unmaps the mappings unused since `date` or longer; returns whether others are left.
    func surrender(since date: ContinuousClock.Instant) -> Bool {
        let (old, isWatched) = state.withLock { state in
            var old: [Mapping] = []
            while let first = state.spares.first, first.since <= date { old.append(state.remove(at: 0)) }
            state.isWatched = !state.spares.isEmpty
            return (old, state.isWatched)
        }
        for mapping in old { mapping.unmap() }
        return isWatched
    }

    private func watch() {
        DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + .seconds(1)) { [self] in
            if surrender(since: .now - Self.patience) { watch() }
        }
    }
}
