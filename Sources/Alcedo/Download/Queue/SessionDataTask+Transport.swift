import AlcedoLocks
package import AlcedoTransport
import Foundation

// How a downloader starts and ends the transport's transfer.

extension SessionDataTask: Ranked {
    @usableFromInline package var blocker: Backpressure? { consumers?.blocker }

    @usableFromInline package var hasSeveralPaths: Bool { consumers?.hasSeveralPaths ?? false }

    /// Whether it is complete, or has no callers left.
    package var isOver: Bool { state.withLock { $0.isOver } }

    /// The last response's headers; nil until they are complete.
    var response: TransportResponse? {
        get { state.withLock { $0.response } }
        set { state.withLock { $0.response = newValue } }
    }

    /// Whether a cache that several users share must not remember how the transfer ended.
    var forbidsSharing: Bool {
        let (exchange, response) = state.withLock { ($0.exchange, $0.response) }
        return exchange?.forbidsSharing(response) ?? false
    }

    /// Bytes of the body so far.
    var received: Int64 { state.withLock { $0.received } }

    /// What to start with, and the callers' events, once; nil if there are no callers left.
    func takeStart() -> (request: URLRequest?, starter: DownloadCaller, events: [LoadEvents])? {
        state.withLock { state in
            guard !state.isOver, let starter = state.starter else { return nil }
            state.starter = nil
            return (state.request, starter, state.callers.callers.compactMap(\.events))
        }
    }

    /// Attaches the requests of the transfer.
    func attach(_ exchange: Exchange) { state.withLock { $0.exchange = exchange } }

    /// Attaches the transport's transfer, or cancels that if there are no callers left.
    func attach(_ transfer: any TransportTask) {
        let isOver = state.withLock { state in
            if !state.isOver { state.transfer = transfer }
            return state.isOver
        }
        if isOver { transfer.cancel() } else { applyPriority() }
    }

    /// Attaches a decode job of the body.
    func attach(_ job: WorkerPool.Ticket) { state.withLock { $0.jobs.append(job) } }

    /// Accepts no more callers, and returns the current ones.
    func close() -> [(token: CancelToken, caller: DownloadCaller)] {
        state.withLock { state in
            state.isClosed = true
            return state.callers.withTokens
        }
    }

    /// Whether one of the callers with these tokens has not cancelled.
    func hasCallers(_ tokens: [CancelToken]) -> Bool {
        state.withLock { state in tokens.contains { state.callers.contains($0) } }
    }

    /// Removes and returns the callers with these tokens, which the receiver then finishes; ends with the last one.
    func take(_ tokens: [CancelToken]) -> [DownloadCaller] {
        state.withLock { state in
            let taken = tokens.compactMap { state.callers.remove($0) }
            if state.callers.isEmpty { state.isOver = true }
            return taken
        }
    }

    /// Ends the transfer, and returns the callers, which the receiver then finishes.
    func complete(failure: (any Error)? = nil) -> [DownloadCaller] {
        let (callers, ended) = state.withLock { state in
            state.failure = failure
            defer { state.callers = CallerList() }
            return (state.callers.callers, state.end())
        }
        withExtendedLifetime(ended) {}
        return callers
    }
}
