import AlcedoLocks
import Dispatch
import Glibc

/// The memory limit of all images that are decoded at the same time, on all threads.
///
/// Before an image is decoded, it reserves the memory that its codec needs at the requested size, see
/// ``ImageCodec/memory(of:info:options:)``. An image that does not fit waits in a FIFO queue; an image
/// larger than the whole budget is decoded alone. A preloaded animation reserves memory for all its frames; an
/// animation whose frames exceed the whole budget is decoded on demand. Animations that are decoded on demand
/// reserve nothing.
public final class DecodeBudget: Sendable {
    public static let shared = DecodeBudget(bytes: Int(clamping: MemoryAllowance().bytes / 4))

    private struct State {
        var bytes: Int
        var reserved = 0
        var waiting: [(cost: Int, semaphore: DispatchSemaphore)] = []

        /// The threads that hold a reservation or wait for one.
        var threads: [pthread_t] = []

        func fits(_ cost: Int) -> Bool { reserved == 0 || cost <= bytes - reserved }

        /// Dequeues and reserves for the waiting threads that fit; the caller signals the semaphores.
        mutating func admit() -> [DispatchSemaphore] {
            var admitted: [DispatchSemaphore] = []
            // Only the first: a large image must not wait for ever behind small ones.
            while let first = waiting.first, fits(first.cost) {
                reserved += first.cost
                admitted.append(waiting.removeFirst().semaphore)
            }
            return admitted
        }
    }

    private let state: Lock<State>

    /// A budget of its own for the loads with the option `decodeBudget`.
    public init(bytes: Int) { state = Lock(State(bytes: bytes)) }

    /// The limit in bytes; by default a quarter of the memory that this process may use.
    public var bytes: Int {
        get { state.withLock { $0.bytes } }
        set {
            let admitted = state.withLock { state in
                state.bytes = newValue
                return state.admit()
            }
            for semaphore in admitted { semaphore.signal() }
        }
    }

    var waitingCount: Int { state.withLock { $0.waiting.count } }

    /// Runs `body` with `cost` bytes reserved; blocks the thread until they are available.
    func withReservation<Result, Failure>(
        of cost: Int, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let thread = pthread_self()
        reserve(cost, thread)
        defer { release(cost, thread) }
        return try body()
    }

    private func reserve(_ cost: Int, _ thread: pthread_t) {
        let semaphore = state.withLock { state -> DispatchSemaphore? in
            // A nested reservation must not wait, or a codec that decodes an embedded image would deadlock.
            let isNested = state.threads.contains(thread)
            state.threads.append(thread)
            if isNested || state.waiting.isEmpty && state.fits(cost) {
                state.reserved += cost
                return nil
            }
            let semaphore = DispatchSemaphore(value: 0)
            state.waiting.append((cost, semaphore))
            return semaphore
        }
        semaphore?.wait()
    }

    private func release(_ cost: Int, _ thread: pthread_t) {
        let admitted = state.withLock { state in
            state.threads.lastIndex(of: thread).map { _ = state.threads.remove(at: $0) }
            state.reserved -= cost
            return state.admit()
        }
        for semaphore in admitted { semaphore.signal() }
    }
}
