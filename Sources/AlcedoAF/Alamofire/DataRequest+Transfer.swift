import Alcedo
import AlcedoLocks
import Foundation
import FoundationNetworking

extension DataRequest {
    /// Calls `handler` with the validations and the transfer once the transfer has finished.
    ///
    /// The error, if any, is the reason why there is no body. `handler` runs where the program's code may block if it calls such
    /// code, as validations may be; otherwise on a worker thread.
    func whenFinished(
        callsProgram: Bool,
        _ handler: @escaping @Sendable (AFError?, [Validation], SessionDataTask?) -> Void
    ) {
        let completion: @Sendable (AFError?) -> Void = { [self] error in
            let (validations, hasOwn, transfer) = mutableState.withLock {
                ($0.settings.validations.unshared, $0.settings.hasOwnValidation, $0.transfer)
            }
            let block: @Sendable () -> Void = { handler(error, validations, transfer) }
            if callsProgram || hasOwn {
                ProgramThreads.images.async(block)
            } else {
                KingfisherParsedOptionsInfo(nil).process(block)
            }
        }
        let outcome = mutableState.withLock { mutableState -> AFError?? in
            if mutableState.outcome == nil { mutableState.completions.append(completion) }
            return mutableState.outcome
        }
        if let outcome { return completion(outcome) }
        let isSuspended = mutableState.withLock { $0.state == .suspended }
        if startsImmediately, !isSuspended { start() }
    }

    func start() {
        guard let request else { return }
        let (transfer, settings) = mutableState.withLock { mutableState -> (SessionDataTask?, Settings?) in
            let mayStart = !mutableState.hasStarted && mutableState.outcome == nil
            guard mayStart, mutableState.state != .cancelled else { return (nil, nil) }
            mutableState.state = .resumed
            mutableState.hasStarted = true
            return (mutableState.transfer, mutableState.settings)
        }
        guard let settings else { return }
        var options = KingfisherParsedOptionsInfo(settings)
        options.processor = DataOnlyProcessor()
        if let transfer {
            let token = transfer.join(options: options) { [self] in finish($0.failure.flatMap(AFError.init)) }
            if token == nil { finish(transfer.failure.map { .sessionTaskFailed(error: $0) }) }
            // A concurrent cancellation may have preceded the join.
            if mutableState.withLock({ $0.state == .cancelled }) { transfer.cancelAll() }
            return
        }
        let key = CoalescingKey(uniqueFor: request)
        let handle = engine.download(request, as: key, options: options) { [self] result, transfer in
            mutableState.withLock { $0.transfer = transfer }
            finish(result.failure.flatMap(AFError.init))
        }
        let isCancelled = mutableState.withLock { mutableState in
            mutableState.transfer = handle.sessionTask
            return mutableState.state == .cancelled
        }
        if isCancelled { handle.cancel() }
    }

    func finish(_ error: AFError?) {
        let completions = mutableState.withLock { mutableState -> [@Sendable (AFError?) -> Void] in
            guard mutableState.outcome == nil else { return [] }
            mutableState.outcome = .some(error)
            if mutableState.state == .resumed { mutableState.state = .finished }
            return exchange(&mutableState.completions, with: [])
        }
        for completion in completions { completion(error) }
    }
}

/// Creates no image; handlers read the bytes from the transfer.
private struct DataOnlyProcessor: ImageProcessor {
    let identifier = "bytes"

    func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> Image? { nil }
}

extension KingfisherParsedOptionsInfo {
    /// The download options for a request.
    init(_ settings: DataRequest.Settings) {
        self.init(nil)
        callbackQueue = .untouch
        context.completionMayBlock = false
        context.acceptsAnyStatus = true
        context.credential = settings.credential
        if let (queue, handler) = settings.progress {
            context.progress = ProgressCallback(queue: queue) { received, expected in
                let progress = Progress(totalUnitCount: expected)
                progress.completedUnitCount = received
                handler(progress)
            }
        }
    }
}
