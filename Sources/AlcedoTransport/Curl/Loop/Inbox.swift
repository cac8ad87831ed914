import AlcedoLocks

/// How other threads tell the loop what to do.
///
/// The loop takes everything at once, and is woken only if it sleeps.
final class Inbox: Sendable {
    enum Message: Sendable {
        case start(CurlTransportTask, any TransportHandler)
        case cancel(UInt64)
        case reorder(UInt64)
        case decided(UInt64)
        /// There is room for bodies again.
        case admit
    }

    private struct State {
        var messages: [Message] = []
        var isAsleep = false
        var isClosing = false
        /// Nil until there is a loop, and once it has ended.
        var multi: MultiHandle?

        mutating func wakeUp() {
            guard isAsleep else { return }
            isAsleep = false
            multi?.wakeUp()
        }
    }

    private let state = Lock(State())

    /// Whether there are messages, and no loop to read them.
    var needsLoop: Bool { state.withLock { $0.multi == nil && !$0.messages.isEmpty } }

    /// A loop with this handle is about to start; false if there is no need for it any more.
    func attach(_ multi: MultiHandle) -> Bool {
        state.withLock { state in
            guard state.multi == nil, !state.messages.isEmpty else { return false }
            state.multi = multi
            return true
        }
    }

    /// The loop with this handle did not start, or had none: returns the messages, unless another loop reads them.
    func abandon(_ multi: MultiHandle?) -> [Message] {
        state.withLock { state in
            guard state.multi === multi else { return [] }
            state.multi = nil
            defer { state.messages = [] }
            return state.messages
        }
    }

    /// Leaves a message; false if the loop will never read it.
    func post(_ message: Message) -> Bool {
        state.withLock { state in
            guard !state.isClosing else { return false }
            state.messages.append(message)
            state.wakeUp()
            return true
        }
    }

    /// The loop is to end; messages left before are still read.
    func close() {
        state.withLock { state in
            state.isClosing = true
            state.wakeUp()
        }
    }

    // MARK: - For the loop

    /// Exchanges the messages for `batch`, which is empty, and says whether these are the last.
    func drain(into batch: inout [Message]) -> Bool {
        state.withLock { state in
            state.isAsleep = false
            swap(&state.messages, &batch)
            if state.isClosing { state.multi = nil }
            return state.isClosing
        }
    }

    /// Asks to be woken by the next message; false if there is one already.
    func fallAsleep() -> Bool {
        state.withLock { state in
            guard state.messages.isEmpty, !state.isClosing else { return false }
            state.isAsleep = true
            return true
        }
    }
}
