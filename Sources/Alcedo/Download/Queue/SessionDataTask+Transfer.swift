import AlcedoLocks
package import AlcedoTransport
import Foundation

// How a downloader starts and ends a transfer.

extension SessionDataTask: Ranked {
    package var obstacle: Backlog? { consumers?.obstacle }

    package var hasSeveralPaths: Bool { consumers?.hasSeveralPaths ?? false }

    /// Whether everybody has left, or it is complete.
    package var isOver: Bool { state.withLock { $0.isOver } }

    /// The last response's head; nil until it is here.
    var response: TransportResponse? {
        get { state.withLock { $0.response } }
        set { state.withLock { $0.response = newValue } }
    }

    /// Bytes of the body so far.
    var received: Int64 { state.withLock { $0.received } }

    /// What to start with; nil if everybody has left, or it has been taken.
    func takeStart() -> (request: URLRequest?, options: KingfisherParsedOptionsInfo)? {
        state.withLock { state in
            guard !state.isOver, let options = state.options else { return nil }
            state.options = nil
            return (state.request, options)
        }
    }

    /// Attaches the running transfer, unless it is over; stops it if everybody has left meanwhile.
    func attach(_ transfer: any TransportTask) {
        let isOver = state.withLock { state in
            if !state.isOver { state.transfer = transfer }
            return state.isOver
        }
        if isOver { transfer.cancel() } else { applyPriority() }
    }

    /// Attaches work that makes an image of the body.
    func attach(_ job: WorkerPool.Ticket) { state.withLock { $0.jobs.append(job) } }

    /// Admits no more callers, and returns those that there are.
    func close() -> [(token: CancelToken, caller: DownloadCaller)] {
        state.withLock { state in
            state.isClosed = true
            return state.callers.map { ($0.token, $0.caller) }
        }
    }

    /// Takes those of the callers who are still there, and who are now the taker's to answer; ends with the last one.
    func take(_ tokens: Set<CancelToken>) -> [DownloadCaller] {
        state.withLock { state in
            let taken = state.callers.filter { tokens.contains($0.token) }.map(\.caller)
            state.callers.removeAll { tokens.contains($0.token) }
            if state.callers.isEmpty { state.isOver = true }
            return taken
        }
    }

    /// Ends the transfer: takes the callers, who are now the taker's to answer, and admits no more.
    func complete(failure: (any Error)? = nil) -> [DownloadCaller] {
        let (callers, ended) = state.withLock { state in
            state.failure = failure
            defer { state.callers = [] }
            return (state.callers.map(\.caller), state.end())
        }
        withExtendedLifetime(ended) {}
        return callers
    }
}
