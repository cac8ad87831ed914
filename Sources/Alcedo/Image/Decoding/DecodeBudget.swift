import AlcedoLocks
import Dispatch
import Glibc

/// The memory that the pictures take that are being decoded at the same time, on all threads.
///
/// A picture counts with what its codec takes for it at the size that is wanted, see
/// ``AlcedoPixels/ImageCodec/memory(of:info:options:)``, before any of it is decoded. One that does not fit waits, in
/// turn; one that is larger than the whole budget is decoded when no other is. An animation that is decoded at once counts
/// with all its frames, and is decoded as it is shown if they are more than the whole budget; one that is decoded as it is
/// shown is not counted.
public final class DecodeBudget: Sendable {
    /// The budget that all images share.
    public static let shared = DecodeBudget(bytes: Int(clamping: MemoryAllowance().bytes / 4))

    private struct State {
        var bytes: Int
        var spent = 0
        var waiting: [(cost: Int, turn: DispatchSemaphore)] = []

        /// The threads that decode or wait for it.
        var spenders: [pthread_t] = []

        func affords(_ cost: Int) -> Bool { spent == 0 || cost <= bytes - spent }

        /// Lets those in whose turn it is.
        mutating func admit() -> [DispatchSemaphore] {
            var admitted: [DispatchSemaphore] = []
            while let first = waiting.first, affords(first.cost) {
                spent += first.cost
                admitted.append(waiting.removeFirst().turn)
            }
            return admitted
        }
    }

    private let state: Lock<State>

    init(bytes: Int) { state = Lock(State(bytes: bytes)) }

    /// The most that they may take together; a quarter of the memory that this process may use, by default.
    public var bytes: Int {
        get { state.withLock { $0.bytes } }
        set {
            let admitted = state.withLock { state in
                state.bytes = newValue
                return state.admit()
            }
            for turn in admitted { turn.signal() }
        }
    }

    /// Runs `body` as soon as there are so many bytes left; the thread waits until then.
    func spending<Result, Failure>(
        _ cost: Int, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let thread = pthread_self()
        enter(cost, thread)
        defer { leave(cost, thread) }
        return try body()
    }

    private func enter(_ cost: Int, _ thread: pthread_t) {
        let turn = state.withLock { state -> DispatchSemaphore? in
            // A codec that decodes a picture within a picture would wait for itself.
            let isWithin = state.spenders.contains(thread)
            state.spenders.append(thread)
            if isWithin || state.waiting.isEmpty && state.affords(cost) {
                state.spent += cost
                return nil
            }
            let turn = DispatchSemaphore(value: 0)
            state.waiting.append((cost, turn))
            return turn
        }
        turn?.wait()
    }

    private func leave(_ cost: Int, _ thread: pthread_t) {
        let admitted = state.withLock { state in
            state.spenders.lastIndex(of: thread).map { _ = state.spenders.remove(at: $0) }
            state.spent -= cost
            return state.admit()
        }
        for turn in admitted { turn.signal() }
    }
}
