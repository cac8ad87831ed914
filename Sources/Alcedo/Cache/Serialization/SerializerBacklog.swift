import AlcedoLocks

/// Bounds the bytes of entries that wait for a thread for the program's serializers, which may be slow or hang.
///
/// Further reads start once fewer bytes wait, in order.
final class SerializerBacklog: Sendable {
    private struct State {
        var bytes = 0

        /// Reads that have not ended, so that their bytes are not known.
        var reading = 0
        var waiting = FIFOQueue<@Sendable () -> Void>()
    }

    /// As many as the disk reads at a time.
    private static let width = 4

    private let limit: Int
    private let state = Lock(State())

    /// - Parameter limit: bytes beyond which no read starts; as many as downloads may have waiting for serializers.
    init(limit: Int = 32 << 20) { self.limit = limit }

    /// The bytes that wait for a serializer.
    var bytes: Int { state.withLock { $0.bytes } }

    /// The reads that wait to start.
    var waiting: Int { state.withLock { $0.waiting.count } }

    /// Calls `read` now or later; it must end with ``hasRead(_:)``.
    func start(_ read: @escaping @Sendable () -> Void) {
        let starts = state.withLock { state in
            guard state.waiting.isEmpty, mayRead(state) else {
                state.waiting.append(read)
                return false
            }
            state.reading += 1
            return true
        }
        if starts { read() }
    }

    /// A read has ended with so many bytes, which wait until ``release(_:)``.
    func hasRead(_ count: Int) {
        change { state in
            state.reading -= 1
            state.bytes += count
        }
    }

    /// The serializer has got so many bytes.
    func release(_ count: Int) { change { $0.bytes -= count } }

    private func change(_ change: (inout State) -> Void) {
        let reads = state.withLock { state in
            change(&state)
            var reads: [@Sendable () -> Void] = []
            while mayRead(state), let read = state.waiting.popFirst() {
                state.reading += 1
                reads.append(read)
            }
            return reads
        }
        for read in reads { read() }
    }

    private func mayRead(_ state: State) -> Bool { state.bytes < limit && state.reading < Self.width }
}
