import AlcedoLocks

/// Tells those who keep encoded bytes that these have turned out to be damaged; shared by all copies of an image.
final class DamageReport: Sendable {
    private struct State {
        var isDamaged = false
        var handlers: [@Sendable () -> Void] = []
    }

    private let state = Lock(State())

    /// Whether the bytes could not be decoded.
    var isDamaged: Bool { state.withLock { $0.isDamaged } }

    /// Calls `handler` once, as soon as the bytes are known to be damaged: now if they are.
    func whenDamaged(_ handler: @escaping @Sendable () -> Void) {
        let isDamaged = state.withLock { state in
            if !state.isDamaged { state.handlers.append(handler) }
            return state.isDamaged
        }
        if isDamaged { handler() }
    }

    func send() {
        let handlers = state.withLock { state in
            state.isDamaged = true
            return exchange(&state.handlers, with: [])
        }
        for handler in handlers { handler() }
    }
}
