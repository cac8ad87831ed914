import AlcedoLocks
import Dispatch
import Glibc

/// An anonymous mapping, rounded up to whole huge pages.
///
/// Safe because it has one owner at a time.
struct Mapping: @unchecked Sendable, Equatable {
    let memory: UnsafeMutableRawPointer
    let length: Int

    /// Wraps an existing mapping for `byteCount` bytes.
    init(memory: UnsafeMutableRawPointer, byteCount: Int) {
        self.memory = memory
        length = Self.length(for: byteCount)
    }

    /// Maps zeroed pages; nil if there is no memory.
    init?(byteCount: Int) {
        let length = Self.length(for: byteCount)
        let memory = mmap(nil, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let memory, memory != MAP_FAILED else { return nil }
        // Page faults on thousands of small pages take longer than most operations on the pixels. But if the kernel has no
        // huge page available, making one takes longer than faulting in a few megabytes.
        if length >= Self.hugePageThreshold { madvise(memory, length, MADV_HUGEPAGE) }
        self.memory = memory
        self.length = length
    }

    /// The size from which a mapping uses huge pages.
    private static let hugePageThreshold = 16 << 20

    func unmap() { munmap(memory, length) }

    static func length(for byteCount: Int) -> Int {
        // Of x86-64, and of ARM64 with pages of 4 KiB.
        let hugePage = 2 << 20
        let (sum, overflow) = byteCount.addingReportingOverflow(hugePage - 1)
        return overflow ? byteCount : sum / hugePage * hugePage
    }
}

/// Unused mappings, for the next bitmap of the same size.
///
/// The kernel takes as long to clear pages as many image processors take to run. Mappings are unmapped after 1 s.
final class SpareMappings: Sendable {
    static let shared = SpareMappings()

    /// The most bytes of unused mappings.
    private static let limit = 64 << 20

    private static let idleTimeout = Duration.seconds(1)

    private struct State {
        /// In the order of release.
        var spares: [(mapping: Mapping, since: ContinuousClock.Instant)] = []
        var byteCount = 0
        var isTrimScheduled = false

        mutating func remove(at index: Int) -> Mapping {
            let mapping = spares.remove(at: index).mapping
            byteCount -= mapping.length
            return mapping
        }
    }

    private let state = Lock(State())
    private let schedule: @Sendable (_ trim: @escaping @Sendable () -> Void) -> Void

    /// - Parameter schedule: calls its argument after 1 s.
    init(
        schedule: @escaping @Sendable (_ trim: @escaping @Sendable () -> Void) -> Void = {
            DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + .seconds(1), execute: $0)
        }
    ) {
        self.schedule = schedule
    }

    /// Removes and returns a mapping for `byteCount` bytes, with undefined content; nil if none has the size.
    func take(byteCount: Int) -> Mapping? {
        let length = Mapping.length(for: byteCount)
        return state.withLock { state in
            state.spares.lastIndex { $0.mapping.length == length }.map { state.remove(at: $0) }
        }
    }

    /// Adds an unused mapping; unmaps the oldest above the limit.
    func keep(_ mapping: Mapping) {
        guard mapping.length <= Self.limit else { return mapping.unmap() }
        let (surplus, schedulesTrim) = state.withLock { state in
            state.spares.append((mapping, .now))
            state.byteCount += mapping.length
            var surplus: [Mapping] = []
            while state.byteCount > Self.limit { surplus.append(state.remove(at: 0)) }
            let schedulesTrim = !state.isTrimScheduled
            state.isTrimScheduled = true
            return (surplus, schedulesTrim)
        }
        // Without the lock, as it is a system call.
        for mapping in surplus { mapping.unmap() }
        if schedulesTrim { scheduleTrim() }
    }

    /// Unmaps the mappings unused since `date` or longer; returns whether others are left.
    func trim(since date: ContinuousClock.Instant) -> Bool {
        let (expired, isTrimScheduled) = state.withLock { state in
            var expired: [Mapping] = []
            while let first = state.spares.first, first.since <= date { expired.append(state.remove(at: 0)) }
            state.isTrimScheduled = !state.spares.isEmpty
            return (expired, state.isTrimScheduled)
        }
        for mapping in expired { mapping.unmap() }
        return isTrimScheduled
    }

    private func scheduleTrim() {
        schedule { [self] in
            if trim(since: .now - Self.idleTimeout) { scheduleTrim() }
        }
    }
}
