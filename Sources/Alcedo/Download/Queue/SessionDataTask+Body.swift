import AlcedoLocks
import AlcedoTransport
import Foundation

// The received body, and its observers.

extension SessionDataTask {
    /// The callers' observers of received bytes.
    var observers: [any DataReceivingSideEffect] {
        state.withLock { $0.callers.callers.flatMap(\.options.context.onDataReceived) }
    }

    /// Stores the progress and reports it to the callers.
    func report(received: Int64, expected: Int64?) {
        let callers = state.withLock { state in
            state.received = received
            return state.wantsProgress ? state.callers.callers : []
        }
        for caller in callers { caller.report(received: received, expected: expected) }
    }

    /// Whether received bytes have been collected for observers.
    var hasCollected: Bool { state.withLock { !$0.data.isEmpty } }

    /// Collects a chunk and returns all `received` bytes so far.
    ///
    /// Nil if earlier chunks were not collected and the transfer cannot return them.
    func collect(_ chunk: Data, received: Int64) -> Data? {
        let (collected, transfer) = state.withLock { state -> (Data?, (any TransportTask)?) in
            guard state.data.count + chunk.count == received else { return (nil, state.transfer) }
            state.data.append(chunk)
            return (state.data, nil)
        }
        if let collected { return collected }
        guard let soFar = (transfer as? any PartialBody)?.bodySoFar, soFar.count == received else {
            return nil
        }
        state.withLock { $0.data = soFar }
        return soFar
    }

    /// Stores the whole body, and its pending entry in an HTTP cache; ends the progress.
    func take(_ data: Data, metrics: NetworkMetrics, pendingEntry: PendingEntry? = nil) {
        let callers = state.withLock { state in
            state.data = data
            state.metrics = metrics
            state.pendingEntry = pendingEntry
            return state.wantsProgress ? state.callers.callers : []
        }
        for caller in callers { caller.reportEnd(received: Int64(data.count)) }
    }

    /// Stores the response in an HTTP cache once committed; nil without a cache, or if it must not be stored.
    package var pendingEntry: PendingEntry? { state.withLock { $0.pendingEntry } }

    /// Why the transfer failed; nil while it has not.
    package var failure: (any Error)? { state.withLock { $0.failure } }
}
