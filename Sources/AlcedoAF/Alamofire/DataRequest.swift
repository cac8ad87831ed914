public import Alcedo
import AlcedoLocks
public import Foundation
public import FoundationNetworking

/// A request, and what has come of it so far.
///
/// It starts with its first response handler, or with ``resume()`` where its session says so.
public final class DataRequest: Sendable {
    /// Told how far a download has come.
    public typealias ProgressHandler = @Sendable (Progress) -> Void

    /// How far a request is.
    public enum State: Sendable {
        /// Made.
        case initialized
        /// Under way.
        case resumed
        /// Held back before it began.
        case suspended
        /// Cancelled.
        case cancelled
        /// Over.
        case finished
    }

    /// What it was made with, and what is added until it starts.
    struct Settings: Sendable {
        var credential: URLCredential?
        var validations: [Validation] = []
        var progress: (queue: DispatchQueue, handler: ProgressHandler)?
    }

    private struct Progression {
        var state = State.initialized
        var settings: Settings
        var transfer: SessionDataTask?
        var hasBegun = false
        var outcome: AFError??
        var waiting: [@Sendable (AFError?) -> Void] = []
    }

    /// Tells it from other requests.
    public let id = UUID()

    /// What is sent first; nil if it could not be made.
    public let request: URLRequest?

    private let engine: Alcedo.ImageDownloader
    private let startsImmediately: Bool
    private let progression: Lock<Progression>

    /// A request that has not begun; `request` fails if it could not be made.
    init(
        _ request: Result<URLRequest, AFError>,
        engine: Alcedo.ImageDownloader,
        startsImmediately: Bool = true,
        settings: Settings = Settings()
    ) {
        self.engine = engine
        self.startsImmediately = startsImmediately
        var progression = Progression(settings: settings)
        switch request {
        case .success(let request): self.request = request
        case .failure(let error):
            self.request = nil
            progression.outcome = .some(error)
            progression.state = .finished
        }
        self.progression = Lock(progression)
    }

    /// What there is to see of a transfer that others have begun.
    init(of transfer: SessionDataTask, request: URLRequest, engine: Alcedo.ImageDownloader) {
        self.request = request
        self.engine = engine
        startsImmediately = true
        progression = Lock(
            Progression(
                state: .resumed, settings: Settings(validations: Self.usualValidations), transfer: transfer))
    }

    // MARK: - What has come of it

    /// How far it is.
    public var state: State {
        progression.withLock { progression in
            let isOver = progression.state == .resumed && progression.transfer?.isOver == true
            return isOver ? .finished : progression.state
        }
    }

    /// Whether it is under way.
    public var isResumed: Bool { state == .resumed }

    /// Whether it was cancelled.
    public var isCancelled: Bool { state == .cancelled }

    /// Whether it is over.
    public var isFinished: Bool { state == .finished }

    /// The transfer as Foundation would show it; nil before it has begun.
    public var task: URLSessionTask? { transfer?.task }

    /// The server's answer; nil before it is here, or without one.
    public var response: HTTPURLResponse? { transfer?.httpResponse }

    /// The bytes; nil before they are all here, or without any.
    public var data: Data? { transfer?.body }

    /// How the transfer went; nil before it is over, or without one.
    public var metrics: TaskMetrics? { transfer?.metrics?.rawMetrics }

    /// Why it failed; nil if it has not.
    public var error: AFError? { progression.withLock { $0.outcome } ?? nil }

    /// What it answers a server with that asks for a credential; nil by default.
    public var credential: URLCredential? { progression.withLock { $0.settings.credential } }

    private var transfer: SessionDataTask? { progression.withLock { $0.transfer } }

    // MARK: - Before it starts

    /// Answers the server's wish for a credential.
    @discardableResult
    public func authenticate(
        username: String, password: String, persistence: URLCredential.Persistence = .forSession
    ) -> Self {
        authenticate(with: URLCredential(user: username, password: password, persistence: persistence))
    }

    /// Answers the server's wish for a credential.
    @discardableResult
    public func authenticate(with credential: URLCredential) -> Self {
        progression.withLock { $0.settings.credential = credential }
        return self
    }

    /// Reports progress on `queue`, while the length of the whole is known.
    @discardableResult
    public func downloadProgress(
        queue: DispatchQueue = .main, closure: @escaping ProgressHandler
    ) -> Self {
        progression.withLock { $0.settings.progress = (queue, closure) }
        return self
    }

    func add(_ validation: @escaping Validation) {
        progression.withLock { $0.settings.validations.append(validation) }
    }

    // MARK: - Going on

    /// Starts it, unless that has happened.
    @discardableResult
    public func resume() -> Self {
        begin()
        return self
    }

    /// Holds it back, if it has not begun.
    @discardableResult
    public func suspend() -> Self {
        progression.withLock { if $0.state == .initialized { $0.state = .suspended } }
        return self
    }

    /// Ends it: handlers that still wait fail with ``AFError/explicitlyCancelled``.
    @discardableResult
    public func cancel() -> Self {
        let (transfer, hasBegun) = progression.withLock { progression in
            let isOver = progression.outcome != nil
            if !isOver { progression.state = .cancelled }
            return (progression.transfer, isOver || progression.hasBegun)
        }
        transfer?.cancelAll()
        if !hasBegun { finish(.explicitlyCancelled) }
        return self
    }
}

// MARK: - From the transfer to the handlers

extension DataRequest {
    /// Calls `handler` with what the response is to be judged by and the transfer, when that is over.
    ///
    /// The error is why there are no bytes.
    func whenFinished(
        _ handler: @escaping @Sendable (AFError?, [Validation], SessionDataTask?) -> Void
    ) {
        let whole: @Sendable (AFError?) -> Void = { [self] error in
            let (validations, transfer) = progression.withLock { ($0.settings.validations, $0.transfer) }
            handler(error, validations, transfer)
        }
        let outcome = progression.withLock { progression -> AFError?? in
            if progression.outcome == nil { progression.waiting.append(whole) }
            return progression.outcome
        }
        if let outcome { return work { whole(outcome) } }
        let isHeld = progression.withLock { $0.state == .suspended }
        if startsImmediately, !isHeld { begin() }
    }

    private func begin() {
        guard let request else { return }
        let (transfer, settings) = progression.withLock { progression -> (SessionDataTask?, Settings?) in
            let mayBegin = !progression.hasBegun && progression.outcome == nil
            guard mayBegin, progression.state != .cancelled else { return (nil, nil) }
            progression.state = .resumed
            progression.hasBegun = true
            return (progression.transfer, progression.settings)
        }
        guard let settings else { return }
        var options = KingfisherParsedOptionsInfo(settings)
        options.processor = BytesOnly()
        if let transfer {
            let token = transfer.join(options: options) { [self] in finish($0.failure.flatMap(AFError.init)) }
            if token == nil { finish(transfer.failure.map { .sessionTaskFailed(error: $0) }) }
            // Who has cancelled meanwhile did not see this caller.
            if progression.withLock({ $0.state == .cancelled }) { transfer.cancelAll() }
            return
        }
        let handle = engine.download(request, as: .own(id), options: options) { [self] result, transfer in
            progression.withLock { $0.transfer = transfer }
            finish(result.failure.flatMap(AFError.init))
        }
        let isCancelled = progression.withLock { progression in
            progression.transfer = handle.sessionTask
            return progression.state == .cancelled
        }
        if isCancelled { handle.cancel() }
    }

    private func finish(_ error: AFError?) {
        let waiting = progression.withLock { progression -> [@Sendable (AFError?) -> Void] in
            guard progression.outcome == nil else { return [] }
            progression.outcome = .some(error)
            if progression.state == .resumed { progression.state = .finished }
            return exchange(&progression.waiting, with: [])
        }
        for handler in waiting { work { handler(error) } }
    }

    /// Runs `block` where images are decoded.
    private func work(_ block: @escaping @Sendable () -> Void) {
        KingfisherParsedOptionsInfo(nil).process(block)
    }
}

/// Leaves the bytes to whoever asks the transfer for them: there is no image.
private struct BytesOnly: ImageProcessor {
    let identifier = "bytes"

    func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> Image? { nil }
}

extension KingfisherParsedOptionsInfo {
    /// What the engine is told of a request.
    init(_ settings: DataRequest.Settings) {
        self.init(nil)
        callbackQueue = .untouch
        completionMayBlock = false
        acceptsAnyStatus = true
        credential = settings.credential
        if let (queue, handler) = settings.progress {
            progress = ProgressCallback(queue: queue) { received, expected in
                let progress = Progress(totalUnitCount: expected)
                progress.completedUnitCount = received
                handler(progress)
            }
        }
    }
}
