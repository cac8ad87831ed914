import AlcedoLocks

/// The progress, the previews and the result of a load; see ``KingfisherManager/events(of:options:)-(Source,_)``.
///
/// Each iteration is one load, which starts with it. Cancelling the task that iterates cancels the load, and so does
/// leaving the loop. A loop that is slower than the load misses progress and previews: it gets the latest of each, and
/// always the result, which is the last element.
public struct LoadSequence: AsyncSequence, Sendable {
    public typealias Element = Event

    /// A step of a load.
    public enum Event: Sendable {
        /// The bytes received and, if the server has sent it, their total number; as a ``DownloadProgressBlock`` has them.
        case progress(received: Int64, total: Int64?)

        /// The part of the image that has arrived; see ``ImageProgressive``.
        case preview(KFCrossPlatformImage)

        /// The image; nothing follows.
        case result(RetrieveImageResult)
    }

    let start: @Sendable (LoadSequenceBuffer) async throws -> RetrieveImageResult

    public func makeAsyncIterator() -> Iterator { Iterator(start) }

    /// Waits for the events of one load, which it cancels at its end.
    public struct Iterator: AsyncIteratorProtocol, Sendable {
        private let load: RunningLoad

        fileprivate init(
            _ start: @escaping @Sendable (LoadSequenceBuffer) async throws -> RetrieveImageResult
        ) {
            load = RunningLoad(start)
        }

        /// The next event; nil after the result.
        ///
        /// - Throws: ``KingfisherError``; `CancellationError` if the task was cancelled before the load had started.
        public mutating func next() async throws -> Event? { try await load.next() }
    }
}

/// The load of one iteration; ends with the last copy of its iterator.
private final class RunningLoad: Sendable {
    private let buffer = LoadSequenceBuffer()
    private let task: Task<Void, Never>

    init(_ start: @escaping @Sendable (LoadSequenceBuffer) async throws -> RetrieveImageResult) {
        task = Task { [buffer] in
            do {
                buffer.end(.success(try await start(buffer)))
            } catch {
                buffer.end(.failure(error))
            }
        }
    }

    deinit { task.cancel() }

    func next() async throws -> LoadSequence.Event? {
        try await withTaskCancellationHandler {
            try await buffer.next()
        } onCancel: {
            task.cancel()
        }
    }
}

/// The latest events of a load that no iterator has received.
final class LoadSequenceBuffer: Sendable {
    private struct State: Sendable {
        /// The latest of each kind; first the kind that has been pending for longest, so that neither starves the other.
        var pending: [LoadSequence.Event] = []
        var end: Result<LoadSequence.Event, any Error>?
        var hasEnded = false
        var waiting: [CheckedContinuation<Void, Never>] = []

        mutating func put(_ event: LoadSequence.Event) {
            if let index = pending.firstIndex(where: { $0.isPreview == event.isPreview }) {
                pending[index] = event
            } else {
                pending.append(event)
            }
        }

        mutating func take() throws -> LoadSequence.Event? {
            if let end = end.take() { return try end.get() }
            return pending.isEmpty ? nil : pending.removeFirst()
        }
    }

    private let state = Lock(State())

    func report(received: Int64, total: Int64) {
        change { $0.put(.progress(received: received, total: total < 0 ? nil : total)) }
    }

    func show(_ preview: KFCrossPlatformImage?) {
        if let preview { change { $0.put(.preview(preview)) } }
    }

    func end(_ result: Result<RetrieveImageResult, any Error>) {
        change { state in
            (state.pending, state.hasEnded) = ([], true)
            state.end = result.map { .result($0) }
        }
    }

    func next() async throws -> LoadSequence.Event? {
        while true {
            let (event, hasEnded) = try state.withLock { state in (try state.take(), state.hasEnded) }
            if event != nil || hasEnded { return event }
            await withCheckedContinuation { waiting in
                let isReady = state.withLock { state in
                    let isReady = state.hasEnded || !state.pending.isEmpty
                    if !isReady { state.waiting.append(waiting) }
                    return isReady
                }
                if isReady { waiting.resume() }
            }
        }
    }

    /// Changes the state unless the load has ended, and resumes who waits for it.
    private func change(_ body: (inout sending State) -> Void) {
        let waiting = state.withLock { state in
            if !state.hasEnded { body(&state) }
            return exchange(&state.waiting, with: [])
        }
        for continuation in waiting { continuation.resume() }
    }
}

extension LoadSequence.Event {
    fileprivate var isPreview: Bool { if case .preview = self { true } else { false } }
}

extension KingfisherManager {
    /// Loads an image, and returns its progress, its previews and then the image as an asynchronous sequence.
    ///
    /// Previews are decoded and delivered as the option `progressiveJPEG` says, by default as `ImageProgressive()` does;
    /// they come from the main queue, and so only in programs that run it.
    ///
    /// ```swift
    /// for try await event in manager.events(of: url) {
    ///     switch event {
    ///     case .progress(let received, let total): print(received, total ?? "of an unknown number")
    ///     case .preview(let image): show(image)
    ///     case .result(let result): show(result.image)
    ///     }
    /// }
    /// ```
    public func events(of source: Source, options: KingfisherOptionsInfo? = nil) -> LoadSequence {
        events(of: source, options: options, mayBeReduced: false)
    }

    /// With `mayBeReduced`, the image may be too large to be decoded whole, for those that never do.
    package func events(
        of source: Source, options: KingfisherOptionsInfo?, mayBeReduced: Bool
    ) -> LoadSequence {
        LoadSequence { [self] buffer in
            var parsed = parsed(options)
            if mayBeReduced { parsed.decodesReduced = true }
            parsed.reportProgressOfUnknownSize = true
            var context = LoadContext()
            context.download.progress = .onAnyThread { buffer.report(received: $0, total: $1) }
            let previews = ImageProgressiveProvider(
                parsed.progressiveJPEG ?? ImageProgressive(), options: parsed, show: buffer.show)
            context.download.onDataReceived = [previews]
            defer { previews.finish() }
            return try await load(source, parsed, context)
        }
    }

    /// Loads an image from a resource, such as a URL, and returns its progress, its previews and then the image.
    ///
    /// See ``events(of:options:)-(Source,_)``.
    public func events(of resource: any Resource, options: KingfisherOptionsInfo? = nil) -> LoadSequence {
        events(of: resource.convertToSource(), options: options)
    }
}
