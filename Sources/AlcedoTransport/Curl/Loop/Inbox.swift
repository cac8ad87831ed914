import AlcedoLocks

/// Messages of other threads for the loop.
///
/// The loop takes all at once, and is woken only if it sleeps.
final class Inbox: Sendable {
    enum Message: Sendable {
        case start(CurlTransportTask, any TransportHandler)
        case cancel(UInt64)
        case reorder(UInt64)
        case decided(UInt64)
        /// Backpressure has changed.
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

    /// Whether there are messages and no loop.
    var needsLoop: Bool { state.withLock { $0.multi == nil && !$0.messages.isEmpty } }

    /// Attaches a loop that is about to start; false if none is needed any more.
    func attach(_ multi: MultiHandle) -> Bool {
        state.withLock { state in
            guard state.multi == nil, !state.messages.isEmpty else { return false }
            state.multi = multi
            return true
        }
    }

    /// The loop with this handle could not start: returns the messages, unless another loop reads them.
    func abandon(_ multi: MultiHandle?) -> [Message] {
        state.withLock { state in
            guard state.multi === multi else { return [] }
            state.multi = nil
            defer { state.messages = [] }
            return state.messages
        }
    }

    /// Posts a message; false if the inbox is closed.
    func post(_ message: Message) -> Bool {
        state.withLock { state in
            guard !state.isClosing else { return false }
            state.messages.append(message)
            state.wakeUp()
            return true
        }
    }

    /// Ends the loop once it has read the earlier messages.
    func close() {
        state.withLock { state in
            state.isClosing = true
            state.wakeUp()
        }
    }

    // MARK: - For the loop

    /// Swaps the messages with `batch`, which is empty; true if these are the last.
    func drain(into batch: inout [Message]) -> Bool {
        state.withLock { state in
            state.isAsleep = false
            swap(&state.messages, &batch)
            // The loop has another reference: the last one must not end under a lock.
            if state.isClosing { state.multi = nil }
            return state.isClosing
        }
    }

    /// Has the next message wake the loop; false if there is one already.
    func fallAsleep() -> Bool {
        state.withLock { state in
            guard state.messages.isEmpty, !state.isClosing else { return false }
            state.isAsleep = true
            return true
        }
    }
}
