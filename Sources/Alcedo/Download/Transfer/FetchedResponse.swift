import AlcedoLocks
import AlcedoTransport
import Foundation

/// A response as a transfer received it.
///
/// A class, because results are copied often, and request and response have many parts.
final class FetchedResponse: Sendable {
    /// The first request, without conditions that revalidate a cached response.
    let request: TransportRequest

    let response: TransportResponse

    /// When the request was made.
    let requested: Date

    /// When the transfer ended.
    let received: Date

    let isRedirected: Bool

    init(
        request: TransportRequest, response: TransportResponse, requested: Date, received: Date,
        isRedirected: Bool
    ) {
        self.request = request
        self.response = response
        self.requested = requested
        self.received = received
        self.isRedirected = isRedirected
    }
}

/// A load's revalidation of a cached response, which its transfer answers.
final class Revalidation: Sendable {
    let record: ResponseRecord
    private let confirmation = Lock<ResponseRecord.Update?>(nil)

    init(of record: ResponseRecord) { self.record = record }

    /// The record as updated by a 304; nil if the server sent none.
    var update: ResponseRecord.Update? { confirmation.withLock { $0 } }

    /// The server has answered with a 304.
    func confirm(_ notModified: FetchedResponse) {
        let update = record.updated(
            by: notModified.response, requested: notModified.requested, received: notModified.received)
        confirmation.withLock { $0 = update }
    }
}

extension KingfisherParsedOptionsInfo {
    /// The clock that decides about freshness: that of the load's cache.
    var now: @Sendable () -> Date {
        if let now = context.now ?? targetCache?.diskStorage.now { return now }
        return { Date() }
    }
}

/// The requests of one transfer, which may revalidate a cached response.
final class Exchange: Sendable {
    private struct State {
        var isRedirected = false

        /// Whether the present request has conditions.
        var isConditional = false
    }

    private let request: TransportRequest
    private let record: ResponseRecord?
    private let now: @Sendable () -> Date
    private let requested: Date
    private let state = Lock(State())

    /// The exchange of `request` for a caller whose options give the clock and the record to revalidate.
    init(of request: TransportRequest, for caller: DownloadCaller) {
        self.request = request
        now = caller.options.now
        requested = now()
        // Conditions of the program's own are for a response that it has itself.
        if let revalidation = caller.options.context.revalidation, request.mayBeCached,
            revalidation.record.response.matches(request)
        {
            record = revalidation.record
        } else {
            record = nil
        }
    }

    /// The first request; conditional, unless redirects led to the cached response.
    var firstRequest: TransportRequest {
        guard let record, record.redirectTarget == nil else { return request }
        return conditional(request, record)
    }

    /// A redirect's request, which is conditional if it is for the URL that the cached response came from.
    func redirected(_ request: TransportRequest) -> TransportRequest {
        state.withLock { $0 = State(isRedirected: true) }
        guard let record else { return request }
        var request = request
        let names = Set(record.response.conditions.map { $0.name.lowercased() })
        request.headers.removeAll { names.contains($0.name.lowercased()) }
        guard record.redirectTarget == ResponseRecord.hash(request.url) else { return request }
        return conditional(request, record)
    }

    private func conditional(_ request: TransportRequest, _ record: ResponseRecord) -> TransportRequest {
        let conditions = record.response.conditions
        guard !conditions.isEmpty else { return request }
        state.withLock { $0.isConditional = true }
        var request = request
        request.headers += conditions
        return request
    }

    /// Whether a response confirms the cached one: a 304 to a request without conditions of this exchange does not.
    func isConfirmation(_ response: TransportResponse) -> Bool {
        response.status == 304 && state.withLock { $0.isConditional }
    }

    /// A response that the transfer has received.
    func fetched(_ response: TransportResponse) -> FetchedResponse {
        FetchedResponse(
            request: request, response: response, requested: requested, received: now(),
            isRedirected: state.withLock { $0.isRedirected })
    }
}
