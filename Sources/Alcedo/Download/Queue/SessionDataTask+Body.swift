import AlcedoLocks
import AlcedoTransport
import Foundation

// What a transfer has received, and who sees it.

extension SessionDataTask {
    /// Those who want to be told of the bytes as they come.
    var observers: [any DataReceivingSideEffect] {
        state.withLock { $0.callers.flatMap { $0.caller.options.onDataReceived ?? [] } }
    }

    /// Notes how far the transfer has come, and tells the callers who want to know.
    func report(received: Int64, expected: Int64?) {
        let blocks = state.withLock { state in
            state.received = received
            return state.wantsProgress ? state.callers.compactMap(\.caller.progress) : []
        }
        guard let expected else { return }
        for block in blocks { block.report(received: received, expected: expected) }
    }

    /// Whether bytes have been collected as they came.
    var hasCollected: Bool { state.withLock { !$0.data.isEmpty } }

    /// Adds to the bytes that are collected as they come, and returns all of them, `received` in number.
    ///
    /// Nil if nobody has collected those before, and the transfer can't show them.
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

    /// Notes the whole body, and what keeps it in an HTTP cache.
    func take(_ data: Data, metrics: NetworkMetrics, pendingEntry: PendingEntry? = nil) {
        state.withLock { state in
            state.data = data
            state.metrics = metrics
            state.pendingEntry = pendingEntry
        }
    }

    /// Keeps the response in an HTTP cache if it is committed; nil without a cache, or if it may not be kept.
    package var pendingEntry: PendingEntry? { state.withLock { $0.pendingEntry } }

    /// Why the transfer failed; nil while it has not.
    package var failure: (any Error)? { state.withLock { $0.failure } }
}
