public import Alcedo
import AlcedoLocks
public import Foundation
public import FoundationNetworking

/// Alamofire's name of what its kinds of requests have in common; there is one kind here.
public typealias Request = DataRequest

/// A request and its present result.
///
/// It starts with its first response handler, or with ``resume()`` if ``Session/startRequestsImmediately`` is false.
public final class DataRequest: Sendable {
    public typealias ProgressHandler = @Sendable (Progress) -> Void

    public enum State: Sendable {
        case initialized
        case resumed
        /// Suspended before its start.
        case suspended
        case cancelled
        case finished
    }

    /// The settings, which may change until the request starts.
    struct Settings: Sendable {
        var credential: URLCredential?
        var validations: [Validation] = []

        /// Whether one of them is the program's.
        var hasOwnValidation = false
        var progress: (queue: DispatchQueue, handler: ProgressHandler)?
    }

    private struct MutableState {
        var state = State.initialized
        var settings: Settings
        var transfer: SessionDataTask?
        var hasStarted = false
        /// Nil until the end; then the error, or an inner nil for a success.
        var outcome: AFError??
        var completions: [@Sendable (AFError?) -> Void] = []
    }

    public let id = UUID()

    /// The initial request; nil if it could not be created.
    public let request: URLRequest?

    private let engine: Alcedo.ImageDownloader
    private let startsImmediately: Bool
    private let mutableState: Lock<MutableState>

    /// A request that has not started; `request` is a failure if it could not be created.
    init(
        _ request: Result<URLRequest, AFError>,
        engine: Alcedo.ImageDownloader,
        startsImmediately: Bool = true,
        settings: Settings = Settings()
    ) {
        self.engine = engine
        self.startsImmediately = startsImmediately
        var mutableState = MutableState(settings: settings)
        switch request {
        case .success(let request): self.request = request
        case .failure(let error):
            self.request = nil
            mutableState.outcome = .some(error)
            mutableState.state = .finished
        }
        self.mutableState = Lock(mutableState)
    }

    /// A request for a transfer that is running already.
    init(
        of transfer: SessionDataTask, request: URLRequest, credential: URLCredential?,
        engine: Alcedo.ImageDownloader
    ) {
        self.request = request
        self.engine = engine
        startsImmediately = true
        mutableState = Lock(
            MutableState(
                state: .resumed,
                settings: Settings(credential: credential, validations: Self.defaultValidations),
                transfer: transfer))
    }

    // MARK: - Result

    /// The state at this moment; may be read on any thread.
    public var state: State {
        mutableState.withLock { mutableState in
            let isFinished = mutableState.state == .resumed && mutableState.transfer?.isOver == true
            return isFinished ? .finished : mutableState.state
        }
    }

    public var isResumed: Bool { state == .resumed }
    public var isCancelled: Bool { state == .cancelled }
    public var isFinished: Bool { state == .finished }

    /// The transfer as a Foundation task; nil before it starts.
    public var task: URLSessionTask? { transfer?.task }

    /// The HTTP response; nil before it is received, or if there is none.
    public var response: HTTPURLResponse? { transfer?.httpResponse }

    /// The complete body; nil before it is received, or if it is empty.
    public var data: Data? { transfer?.body }

    /// The metrics of the transfer; nil before it finishes, or if there is none.
    public var metrics: TaskMetrics? { transfer?.metrics?.rawMetrics }

    /// The error; nil if the request has not failed.
    public var error: AFError? { mutableState.withLock { $0.outcome } ?? nil }

    /// The progress of the body at this moment; its total is 0 before the response, -1 if the length is not known.
    public var downloadProgress: Progress {
        guard let task else { return Progress(totalUnitCount: 0) }
        let isKnown = task.response != nil
        let progress = Progress(totalUnitCount: isKnown ? task.countOfBytesExpectedToReceive : 0)
        progress.completedUnitCount = task.countOfBytesReceived
        return progress
    }

    /// The credential for authentication challenges; nil by default.
    public var credential: URLCredential? { mutableState.withLock { $0.settings.credential } }

    private var transfer: SessionDataTask? { mutableState.withLock { $0.transfer } }

    // MARK: - Settings

    /// Sets the credential for authentication challenges.
    @discardableResult
    public func authenticate(
        username: String, password: String, persistence: URLCredential.Persistence = .forSession
    ) -> Self {
        authenticate(with: URLCredential(user: username, password: password, persistence: persistence))
    }

    @discardableResult
    public func authenticate(with credential: URLCredential) -> Self {
        mutableState.withLock { $0.settings.credential = credential }
        return self
    }

    /// Reports progress on `queue` if the length of the body is known.
    @discardableResult
    public func downloadProgress(
        queue: DispatchQueue = .main, closure: @escaping ProgressHandler
    ) -> Self {
        mutableState.withLock { $0.settings.progress = (queue, closure) }
        return self
    }

    func add(_ validation: @escaping Validation, isOwn: Bool = false) {
        mutableState.withLock { mutableState in
            mutableState.settings.validations.append(validation)
            if isOwn { mutableState.settings.hasOwnValidation = true }
        }
    }

    // MARK: - Starting and cancelling

    /// Starts the request; does nothing if it has started.
    @discardableResult
    public func resume() -> Self {
        start()
        return self
    }

    /// Suspends the request; does nothing if it has started.
    @discardableResult
    public func suspend() -> Self {
        mutableState.withLock { if $0.state == .initialized { $0.state = .suspended } }
        return self
    }

    /// Cancels the request: pending handlers receive ``AFError/explicitlyCancelled``.
    @discardableResult
    public func cancel() -> Self {
        let (transfer, hasStarted) = mutableState.withLock { mutableState in
            let hasFinished = mutableState.outcome != nil
            if !hasFinished { mutableState.state = .cancelled }
            return (mutableState.transfer, hasFinished || mutableState.hasStarted)
        }
        transfer?.cancelAll()
        // One that has started ends with its transfer.
        if !hasStarted { finish(.explicitlyCancelled) }
        return self
    }
}

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

    private func start() {
        guard let request else { return }
        let (transfer, settings) = mutableState.withLock { mutableState -> (SessionDataTask?, Settings?) in
            let mayStart = !mutableState.hasStarted && mutableState.outcome == nil
            guard mayStart, mutableState.state != .cancelled else { return (nil, nil) }
            mutableState.state = .resumed
            mutableState.hasStarted = true
            return (mutableState.transfer, mutableState.settings)
        }
        guard let settings else { return }
        let context = DownloadContext(settings)
        var options = KingfisherParsedOptionsInfo([.callbackQueue(.untouch)])
        options.processor = DataOnlyProcessor()
        if let transfer {
            let token = transfer.join(options: options, context: context) { [self] in
                finish($0.failure.flatMap(AFError.init))
            }
            if token == nil { finish(transfer.failure.map { .sessionTaskFailed(error: $0) }) }
            // A concurrent cancellation may have preceded the join.
            if mutableState.withLock({ $0.state == .cancelled }) { transfer.cancelAll() }
            return
        }
        let key = CoalescingKey(uniqueFor: request)
        let handle = engine.download(request, as: key, options: options, context: context) {
            [self] result, transfer in
            mutableState.withLock { $0.transfer = transfer }
            finish(result.failure.flatMap(AFError.init))
        }
        let isCancelled = mutableState.withLock { mutableState in
            mutableState.transfer = handle.sessionTask
            return mutableState.state == .cancelled
        }
        if isCancelled { handle.cancel() }
    }

    private func finish(_ error: AFError?) {
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

extension DownloadContext {
    init(_ settings: DataRequest.Settings) {
        self.init()
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
