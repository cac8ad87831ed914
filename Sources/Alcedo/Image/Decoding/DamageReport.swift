import AlcedoLocks

/// Notifies those who keep encoded bytes that these have turned out to be damaged; shared by all copies of an image.
final class DamageReport: Sendable {
    private struct State {
        var isDamaged = false
        var isSound = false
        var handlers: [@Sendable () -> Void] = []
    }

    private let state = Lock(State())
    var isDamaged: Bool { state.withLock { $0.isDamaged } }

    /// Calls `handler` once, as soon as the bytes are known to be damaged: now if they are.
    func whenDamaged(_ handler: @escaping @Sendable () -> Void) {
        let isDamaged = state.withLock { state in
            if !state.isDamaged, !state.isSound { state.handlers.append(handler) }
            return state.isDamaged
        }
        if isDamaged { handler() }
    }

    var handlerCount: Int { state.withLock { $0.handlers.count } }

    /// Lets the handlers go, as all pixels of the first frame have been decoded: no decoding reports damage any more.
    func settle() {
        let handlers = state.withLock { state in
            state.isSound = true
            return exchange(&state.handlers, with: [])
        }
        // Outside the lock.
        _ = consume handlers
    }

    func send() {
        let handlers = state.withLock { state in
            state.isDamaged = true
            return exchange(&state.handlers, with: [])
        }
        for handler in handlers { handler() }
    }
}
