import AlcedoLocks
import AlcedoRaster
package import Foundation

/// Shows previews of an image while it loads.
///
/// Decides on the network thread when there is a preview, which is cheap; decodes it on a worker thread, from the first
/// byte; delivers it on the main thread. It stops if its task becomes stale, the bytes are damaged, its previews have
/// taken ``DecodeLimits/seconds`` together, or ``finish()`` is called.
package final class ImageProgressiveProvider<Time: Clock<Duration>>: DataReceivingSideEffect {
    /// Blurs pixels by a radius in pixels.
    package typealias Blur = @Sendable (Bitmap, Double) throws(CodecError) -> Bitmap

    private struct State {
        /// The transfer of the bytes; a retry or an alternative source starts another one.
        weak var transfer: SessionDataTask?
        var schedule: PreviewSchedule
        /// The received bytes, in pieces: a piece can be read while others are appended.
        var pieces: [[UInt8]] = []
        var received = 0
        /// Incremented when another transfer replaces the bytes.
        var generation = 0
        /// True from the decision to create a preview until its delivery.
        var isBusy = false
        var isFinished = false
        /// Seconds spent on all previews.
        var seconds = 0.0
        var last: Time.Instant?
    }

    private enum Step {
        case nothing
        case decode(Job)
        case wait(until: Time.Instant)
    }

    private struct Job {
        let preview: PreviewSchedule.Preview
        let pieces: [[UInt8]]
        let generation: Int
    }

    private let progressive: ImageProgressive
    private let options: KingfisherParsedOptionsInfo
    private let clock: Time
    private let blur: Blur
    private let show: @MainActor @Sendable (KFCrossPlatformImage?) -> Void
    private let state: Lock<State>

    /// Creates a provider for one load; `show` receives the image to show: a preview, or the delegate's replacement.
    package init(
        _ progressive: ImageProgressive,
        options: KingfisherParsedOptionsInfo,
        clock: Time,
        blur: @escaping Blur = { bitmap, radius throws(CodecError) in try bitmap.blurred(radius: radius) },
        show: @escaping @MainActor @Sendable (KFCrossPlatformImage?) -> Void
    ) {
        self.progressive = progressive
        self.options = options
        self.clock = clock
        self.blur = blur
        self.show = show
        state = Lock(State(schedule: PreviewSchedule(onlyLatest: progressive.isFastestScan)))
    }

    /// Discards the bytes of the previous transfer if `transfer` is a new one.
    private func reset(for transfer: SessionDataTask) {
        state.withLock { state in
            guard state.transfer !== transfer else { return }
            state.transfer = transfer
            guard state.received > 0, !state.isFinished else { return }
            state.schedule = PreviewSchedule(onlyLatest: progressive.isFastestScan)
            state.pieces = []
            state.received = 0
            state.generation += 1
        }
    }

    package convenience init(
        _ progressive: ImageProgressive,
        options: KingfisherParsedOptionsInfo,
        show: @escaping @MainActor @Sendable (KFCrossPlatformImage?) -> Void
    ) where Time == ContinuousClock {
        self.init(progressive, options: options, clock: ContinuousClock(), show: show)
    }

    package func download(_ task: SessionDataTask, didReceive data: Data) {
        reset(for: task)
        receive(data)
    }

    /// Receives all bytes so far.
    ///
    /// Copies only the new bytes: a reference to `data` would make its owner copy the whole buffer on the next
    /// append.
    func receive(_ data: Data) {
        guard !options.isSourceTaskStale else { return finish() }
        let hasPending = state.withLock { state in
            guard !state.isFinished, state.schedule.needsMoreData,
                data.count <= options.decodeLimits.encodedBytes
            else { return false }
            state.schedule.receive(data.bytes)
            state.pieces.append(Array(data.dropFirst(state.received)))
            state.received = data.count
            return state.schedule.hasPending
        }
        if hasPending { decodeNext() }
    }

    /// Stops showing previews, after the load has succeeded or failed.
    ///
    /// If called on the main thread, no preview is shown after it returns.
    package func finish() {
        state.withLock { state in
            state.isFinished = true
            state.schedule.stop()
            state.pieces = []
        }
    }

    private func decodeNext() {
        let interval = Duration.seconds(max(0, progressive.scanInterval))
        let now = clock.now
        let step = state.withLock { state -> Step in
            guard !state.isBusy, !state.isFinished, state.schedule.hasPending else { return .nothing }
            state.isBusy = true
            if let last = state.last, now < last.advanced(by: interval) {
                return .wait(until: last.advanced(by: interval))
            }
            guard let preview = state.schedule.next() else { return .nothing }
            return .decode(Job(preview: preview, pieces: state.pieces, generation: state.generation))
        }
        switch step {
        case .nothing: return
        case .decode(let job): WorkerPool.shared.submit { [self] in decode(job) }
        case .wait(let instant):
            Task { [self] in
                try? await clock.sleep(until: instant, tolerance: nil)
                state.withLock { $0.isBusy = false }
                decodeNext()
            }
        }
    }

    private func decode(_ job: Job) {
        guard !isStopped else { return finish() }
        let start = clock.now
        let decoded = Result { () throws(CodecError) in try makeImage(of: job) }
        let seconds = start.duration(to: clock.now) / .seconds(1)
        let isCurrent = state.withLock { state in
            state.seconds += seconds
            return state.generation == job.generation
        }
        switch decoded {
        case .success(let image?) where isCurrent: deliverOnMain(image)
        case .failure(let error) where isCurrent && !error.needsMoreBytes && !job.preview.isThumbnail:
            finish()
        default:
            state.withLock { state in
                state.isBusy = false
                if case .failure = decoded, isCurrent, job.preview.isThumbnail {
                    state.schedule.thumbnailHasFailed()
                }
            }
            decodeNext()
        }
    }

    /// Nil if the load's processor fails.
    private func makeImage(of job: Job) throws(CodecError) -> Image? {
        var limits = options.decodeLimits
        // The limit is for all previews together: a JPEG of a hundred scans must not take a hundred times as long.
        limits.seconds -= state.withLock { $0.seconds }
        let resources = options.decodeResources
        let decoded = try job.preview.decode(job.pieces, limits: limits, with: resources)
        var bitmap = decoded.bitmap
        let radius = progressive.isBlur ? job.preview.blurRadius : 0
        if radius > 0 { bitmap = try blur(bitmap, radius) }
        let image = Image(bitmap: bitmap, scale: options.scaleFactor)
        let processed = options.processor.process(item: .image(image), options: options)
        guard let processed, processed.pixelSize == bitmap.size, bitmap.size != decoded.size else {
            return processed
        }
        // A thumbnail whose pixels the processor keeps takes as much room as the image.
        let share = CGFloat(bitmap.width) / CGFloat(decoded.size.width)
        return Image(processed, scale: options.scaleFactor * share)
    }

    private func deliverOnMain(_ image: Image) {
        DispatchQueue.main.async { [self] in
            MainActor.assumeIsolated { deliver(image) }
            let now = clock.now
            state.withLock { state in
                state.isBusy = false
                state.last = now
            }
            decodeNext()
        }
    }

    @MainActor
    private func deliver(_ image: Image) {
        guard !isStopped else { return }
        switch progressive.onImageUpdated.call(image) ?? .default {
        case .default: show(image)
        case .keepCurrent: return
        case .replace(let other): show(other)
        }
    }

    private var isStopped: Bool { options.isSourceTaskStale || state.withLock { $0.isFinished } }
}

extension CodecError {
    fileprivate var needsMoreBytes: Bool { if case .truncated = self { true } else { false } }
}
