import AlcedoLocks
import AlcedoPixels
public import AlcedoTransport
public import Foundation

extension ImageDownloader {
    /// Which failures are remembered, in memory; nil, the default, for none.
    ///
    /// Setting it forgets all. A load whose request has a remembered failure, with its URL, method, header fields, body and
    /// credential, fails at once, without a request, with ``TransportError/failedBefore(_:url:)``. Retry strategies
    /// are not called for it; alternative sources are tried. A load with `forceRefresh` is sent nevertheless, and a
    /// success forgets the failure.
    public var failureMemory: FailureMemory? {
        get { failures.withLock { $0?.memory } }
        set {
            let clock = clock
            failures.withLock { $0 = newValue.map { FailureTable($0, clock: clock) } }
        }
    }

    /// The last remembered failure of `url`, with any header fields; nil if there is none.
    public func rememberedFailure(of url: URL) -> RememberedFailure? {
        failures.withLock { $0?.lastFailure(of: url.absoluteString) }
    }

    /// Forgets the failures of `url`, with any header fields, so that its next load is sent.
    public func forgetFailure(of url: URL) {
        failures.withLock { $0?.removeAll(of: url.absoluteString) }
    }

    /// Forgets all failures.
    public func forgetFailures() { failures.withLock { $0?.removeAll() } }

    /// Remembers the failure of a transfer if it is to be remembered; forgets an earlier one after a success.
    func record(_ error: KingfisherError?, of task: SessionDataTask) {
        // Local files have no status: reading them again costs little.
        guard failureMemory != nil, task.response?.status ?? 0 != 0 else { return }
        let key = task.key.ofFailure
        guard let error else { return failures.withLock { $0?.remove(key) } }
        // Another handler might lead elsewhere.
        if task.key.hasRedirectHandler, task.response?.url != task.key.url { return }
        let (status, damage) = (error.statusToRemember, error.damage)
        // A connection that broke off, if nothing told the body's length.
        if case .truncated = damage, task.response?.expectedBytes == nil { return }
        guard let reason = status.map({ "status \($0)" }) ?? damage?.description else { return }
        failures.withLock { $0?.insert(status: status, reason: reason, for: key) }
    }

    /// Whether a retry of the failed `task` would fail at once.
    func remembersFailure(of task: SessionDataTask) -> Bool {
        failures.withLock { $0?[task.key.ofFailure] } != nil
    }
}

extension KingfisherError {
    /// The failure that was remembered, so that no request was sent; nil for other errors.
    public var rememberedFailure: RememberedFailure? {
        guard case .responseError(reason: .URLSessionError(let error)) = self,
            case .failedBefore(let failure, _)? = error.transportError
        else { return nil }
        return failure
    }

    fileprivate var statusToRemember: Int? {
        guard case .responseError(reason: .invalidHTTPStatusCode(let response)) = self else { return nil }
        return response.statusCode
    }

    /// Why the bytes are no image, or a damaged one; nil if something else is at fault.
    var damage: CodecError? {
        guard case .processorError(reason: .processingFailed(let processor, .data)) = self,
            let reason = (processor as? FailedProcessor)?.reason, reason.isDamage
        else { return nil }
        return reason
    }
}
