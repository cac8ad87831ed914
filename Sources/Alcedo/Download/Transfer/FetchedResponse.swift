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
    let requested: Date
    let received: Date
    let isRedirected: Bool

    /// Whether a cache that several users share must not have it: it is for one user, or a redirect to it was.
    var forbidsSharing: Bool {
        isPrivate || response.forbidsSharing(isAuthenticated: isAuthenticated)
    }

    private let isAuthenticated: Bool

    /// Whether a redirect was for one user.
    private let isPrivate: Bool

    init(
        request: TransportRequest, response: TransportResponse, requested: Date, received: Date,
        isRedirected: Bool, isAuthenticated: Bool, isPrivate: Bool
    ) {
        self.request = request
        self.response = response
        self.requested = requested
        self.received = received
        self.isRedirected = isRedirected
        self.isAuthenticated = isAuthenticated
        self.isPrivate = isPrivate
    }
}

/// A load's revalidation of a cached response by its transfer.
final class Revalidation: Sendable {
    let record: ResponseRecord

    /// The cached image, not processed yet.
    private let image: KFCrossPlatformImage

    private let confirmation = Lock<(update: ResponseRecord.Update, response: FetchedResponse)?>(nil)

    init(of record: ResponseRecord, image: KFCrossPlatformImage) {
        (self.record, self.image) = (record, image)
    }

    /// The record as updated by a 304; nil if the server sent none.
    var update: ResponseRecord.Update? { confirmation.withLock { $0?.update } }

    /// The 304 as network interceptors get it; nil if the server sent none.
    func notModified(_ source: Source) -> RetrieveImageResult? {
        guard let response = confirmation.withLock({ $0?.response }) else { return nil }
        return RetrieveImageResult(
            image: image, cacheType: .none, source: source, originalSource: source,
            data: { [image] in image.encoded?.data }, response: ResponseMetadata(response))
    }

    func confirm(_ notModified: FetchedResponse) {
        let update = record.updated(
            by: notModified.response, requested: notModified.requested, received: notModified.received)
        confirmation.withLock { $0 = (update, notModified) }
    }
}

/// The requests of one transfer, which may revalidate a cached response.
final class Exchange: Sendable {
    private struct State {
        var isRedirected = false
        var isConditional = false
        var isAuthenticated: Bool

        /// Whether a redirect must not be shared.
        var forbidsSharing = false
    }

    private let request: TransportRequest
    private let record: ResponseRecord?
    private let now: @Sendable () -> Date
    private let requested: Date
    private let state: Lock<State>

    /// The exchange of `request` for a caller that gives the clock and the record to revalidate.
    init(of request: TransportRequest, for caller: DownloadCaller) {
        self.request = request
        state = Lock(State(isAuthenticated: request.isAuthenticated))
        now = caller.now
        requested = now()
        // Conditions of the program's own are for a response that it has itself.
        if let revalidation = caller.context.revalidation, request.mayBeCached,
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

    /// The request that follows a redirect, which is conditional if it is for the URL that the cached response came from.
    func redirected(by response: TransportResponse, to request: TransportRequest) -> TransportRequest {
        state.withLock { state in
            (state.isRedirected, state.isConditional) = (true, false)
            if response.forbidsSharing(isAuthenticated: state.isAuthenticated) { state.forbidsSharing = true }
            if request.isAuthenticated { state.isAuthenticated = true }
        }
        guard let record else { return request }
        var request = request
        let names = Set(record.response.conditions.map { $0.name.lowercased() })
        request.headers.removeAll { names.contains($0.name.lowercased()) }
        guard record.redirectTarget == ResponseRecord.hash(request.url.absoluteString) else { return request }
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

    func authenticate() { state.withLock { $0.isAuthenticated = true } }

    /// Whether a cache that several users share must not have what the transfer ends with: `response`, or none.
    func forbidsSharing(_ response: TransportResponse?) -> Bool {
        let (isAuthenticated, isForbidden) = state.withLock { ($0.isAuthenticated, $0.forbidsSharing) }
        return isForbidden || response?.forbidsSharing(isAuthenticated: isAuthenticated) ?? isAuthenticated
    }

    /// Whether a response confirms the cached one: a 304 to a request without conditions of this exchange does not.
    func isConfirmation(_ response: TransportResponse) -> Bool {
        response.status == 304 && state.withLock { $0.isConditional }
    }

    func fetched(_ response: TransportResponse) -> FetchedResponse {
        let state = state.withLock(\.self)
        return FetchedResponse(
            request: request, response: response, requested: requested, received: now(),
            isRedirected: state.isRedirected, isAuthenticated: state.isAuthenticated,
            isPrivate: state.forbidsSharing)
    }
}
