import AlcedoCodecs
import AlcedoLocks
import AlcedoRaster
package import Foundation

/// Shows previews of a progressive JPEG while it loads.
///
/// Finds complete scans on the network thread, which is cheap; decodes each scan once, on a worker thread; delivers
/// previews on the main thread. It stops if its task becomes stale, the bytes are damaged, or ``finish()`` is called.
package final class ImageProgressiveProvider<Time: Clock<Duration>>: DataReceivingSideEffect {
    /// Blurs pixels by a radius in pixels.
    package typealias Blur = @Sendable (Bitmap, Double) throws(CodecError) -> Bitmap

    private struct State {
        /// The transfer of the bytes; a retry or an alternative source starts another one.
        weak var transfer: SessionDataTask?
        var scans: ProgressiveScans
        var decoder: JPEGScanDecoder?
        /// Received bytes that the decoder does not have yet.
        var pendingBytes: [UInt8] = []
        /// The number of received bytes.
        var received = 0
        /// True from the decision to make a preview until its delivery.
        var isBusy = false
        var isFinished = false
        /// When the last preview was delivered.
        var last: Time.Instant?
    }

    private enum Step {
        case nothing
        case decode(ProgressiveScans.Preview, JPEGScanDecoder)
        case wait(until: Time.Instant)
    }

    private let progressive: ImageProgressive
    private let options: KingfisherParsedOptionsInfo
    private let clock: Time
    private let blur: Blur
    private let show: @MainActor @Sendable (KFCrossPlatformImage?) -> Void
    private let state: Lock<State>

    /// Makes a provider for one load.
    ///
    /// - Parameters:
    ///   - progressive: the display options; its delegate is called for each preview.
    ///   - options: the load's options: scale, limits, processor, and the check whether the task is stale.
    ///   - clock: measures the interval between previews.
    ///   - blur: blurs early previews; with box filters by default.
    ///   - show: receives the image to show: a preview, or the delegate's replacement.
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
        let limits = options.decodeLimits
        let decoder = JPEGScanDecoder(options: DecodeOptions { $0.limits = limits })
        state = Lock(State(scans: ProgressiveScans(onlyLatest: progressive.isFastestScan), decoder: decoder))
    }

    /// Discards the bytes of the previous transfer if `transfer` is a new one.
    private func reset(for transfer: SessionDataTask) {
        let hasPreviousBytes = state.withLock { state in
            guard state.transfer !== transfer else { return false }
            state.transfer = transfer
            return state.received > 0 && !state.isFinished
        }
        guard hasPreviousBytes else { return }
        var decoder: JPEGScanDecoder? = JPEGScanDecoder(
            options: DecodeOptions { $0.limits = options.decodeLimits })
        state.withLock { state in
            state.scans = ProgressiveScans(onlyLatest: progressive.isFastestScan)
            state.pendingBytes = []
            state.received = 0
            swap(&state.decoder, &decoder)
        }
    }

    /// Makes a provider that uses the system's clock.
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
            guard !state.isFinished, state.scans.needsMoreData,
                data.count <= options.decodeLimits.encodedBytes
            else { return false }
            state.scans.receive(data.bytes)
            state.pendingBytes += data.dropFirst(state.received)
            state.received = data.count
            return state.scans.hasPending
        }
        if hasPending { decodeNext() }
    }

    /// Stops showing previews, after the load has succeeded or failed.
    ///
    /// If called on the main thread, no preview is shown after it returns.
    package func finish() {
        let decoder = state.withLock { state in
            state.isFinished = true
            state.scans.stop()
            state.pendingBytes = []
            return state.decoder.take()
        }
        // Releases the decoder outside the lock; a decode job in progress keeps it until its end.
        _ = decoder
    }

    private func decodeNext() {
        let interval = Duration.seconds(max(0, progressive.scanInterval))
        let now = clock.now
        let step = state.withLock { state -> Step in
            guard !state.isBusy, !state.isFinished, state.scans.hasPending else { return .nothing }
            state.isBusy = true
            if let last = state.last, now < last.advanced(by: interval) {
                return .wait(until: last.advanced(by: interval))
            }
            guard let decoder = state.decoder, let preview = state.scans.next() else { return .nothing }
            return .decode(preview, decoder)
        }
        switch step {
        case .nothing: return
        case .decode(let preview, let decoder):
            WorkerPool.shared.submit { [self] in decode(preview, decoder) }
        case .wait(let instant):
            Task { [self] in
                try? await clock.sleep(until: instant, tolerance: nil)
                state.withLock { $0.isBusy = false }
                decodeNext()
            }
        }
    }

    private func decode(_ preview: ProgressiveScans.Preview, _ decoder: JPEGScanDecoder) {
        guard !isStopped else { return finish() }
        let decoded = Result { () throws(CodecError) in try makeImage(of: preview, decoder) }
        let isStale = state.withLock { $0.decoder !== decoder }
        if case .failure = decoded, !isStale { return finish() }
        guard !isStale, case .success(let image?) = decoded else {
            state.withLock { $0.isBusy = false }
            return decodeNext()
        }
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

    /// Nil if the load's processor fails or another transfer has replaced the bytes.
    private func makeImage(
        of preview: ProgressiveScans.Preview, _ decoder: JPEGScanDecoder
    ) throws(CodecError) -> Image? {
        let bytes = state.withLock { state -> [UInt8]? in
            guard state.decoder === decoder else { return nil }
            defer { state.pendingBytes = [] }
            return state.pendingBytes
        }
        guard let bytes else { return nil }
        decoder.append(bytes)
        guard let stored = try decoder.picture(scans: preview.scans) else { return nil }
        var bitmap = try stored.oriented(decoder.orientation)
        if progressive.isBlur, preview.blurRadius > 0 { bitmap = try blur(bitmap, preview.blurRadius) }
        let image = Image(bitmap: bitmap, scale: options.scaleFactor)
        return options.processor.process(item: .image(image), options: options)
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
