import AlcedoCodecs
import AlcedoLocks
import AlcedoRaster
package import Foundation

/// Shows a progressive JPEG while it loads.
///
/// Looks for complete scans on the network thread, which takes no time, decodes each of them once, on a worker thread,
/// and hands pictures over on the main thread. It stops when its task is stale, its bytes turn out to be damaged, or
/// ``finish()`` is called.
package final class ImageProgressiveProvider<Time: Clock<Duration>>: DataReceivingSideEffect {
    /// Blurs pixels by a radius in pixels.
    package typealias Blur = @Sendable (Bitmap, Double) throws(CodecError) -> Bitmap

    private struct State {
        /// Where the bytes come from; a retry and an alternative source begin again.
        weak var transfer: SessionDataTask?
        var scans: ProgressiveScans
        var decoder: JPEGScanDecoder?
        /// Bytes that the decoder has yet to get.
        var fresh: [UInt8] = []
        /// How many bytes have come.
        var received = 0
        /// Between the decision for a picture and its delivery.
        var isBusy = false
        var isFinished = false
        /// When the last picture was delivered.
        var last: Time.Instant?
    }

    private enum Step {
        case nothing
        case make(ProgressiveScans.Cut, JPEGScanDecoder)
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
    ///   - progressive: how pictures are shown; its delegate is asked about each of them.
    ///   - options: the load's options: scale, limits, processor, and whether the task is stale.
    ///   - clock: measures the interval between pictures.
    ///   - blur: blurs early pictures; with box filters by default.
    ///   - show: takes what is to be seen: a picture, or what the delegate put in its place.
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

    /// Forgets the bytes of the transfer before, if this is another one.
    private func begin(_ transfer: SessionDataTask) {
        let hasBytesOfAnother = state.withLock { state in
            guard state.transfer !== transfer else { return false }
            state.transfer = transfer
            return state.received > 0 && !state.isFinished
        }
        guard hasBytesOfAnother else { return }
        var decoder: JPEGScanDecoder? = JPEGScanDecoder(
            options: DecodeOptions { $0.limits = options.decodeLimits })
        state.withLock { state in
            state.scans = ProgressiveScans(onlyLatest: progressive.isFastestScan)
            state.fresh = []
            state.received = 0
            swap(&state.decoder, &decoder)
        }
    }

    /// Makes a provider that goes by the system's clock.
    package convenience init(
        _ progressive: ImageProgressive,
        options: KingfisherParsedOptionsInfo,
        show: @escaping @MainActor @Sendable (KFCrossPlatformImage?) -> Void
    ) where Time == ContinuousClock {
        self.init(progressive, options: options, clock: ContinuousClock(), show: show)
    }

    package func download(_ task: SessionDataTask, didReceive data: Data) {
        begin(task)
        receive(data)
    }

    /// Takes all bytes so far.
    ///
    /// Keeps a copy of the new ones only: whoever collects them would have to copy all of them if they were kept here.
    func receive(_ data: Data) {
        guard !options.isSourceTaskStale else { return finish() }
        let isWaiting = state.withLock { state in
            guard !state.isFinished, state.scans.isLooking, data.count <= options.decodeLimits.encodedBytes
            else { return false }
            state.scans.receive(data.bytes)
            state.fresh += data.dropFirst(state.received)
            state.received = data.count
            return state.scans.isWaiting
        }
        if isWaiting { goOn() }
    }

    /// Shows no more pictures: the image is there, or never will be.
    ///
    /// Called on the main thread, nothing is shown once it has returned.
    package func finish() {
        let decoder = state.withLock { state in
            state.isFinished = true
            state.scans.stop()
            state.fresh = []
            return state.decoder.take()
        }
        // Released here, outside the lock, or by whoever is making a picture.
        _ = decoder
    }

    private func goOn() {
        let interval = Duration.seconds(max(0, progressive.scanInterval))
        let now = clock.now
        let step = state.withLock { state -> Step in
            guard !state.isBusy, !state.isFinished, state.scans.isWaiting else { return .nothing }
            state.isBusy = true
            if let last = state.last, now < last.advanced(by: interval) {
                return .wait(until: last.advanced(by: interval))
            }
            guard let decoder = state.decoder, let cut = state.scans.next() else { return .nothing }
            return .make(cut, decoder)
        }
        switch step {
        case .nothing: return
        case .make(let cut, let decoder): WorkerPool.shared.submit { [self] in make(cut, decoder) }
        case .wait(let instant):
            Task { [self] in
                try? await clock.sleep(until: instant, tolerance: nil)
                state.withLock { $0.isBusy = false }
                goOn()
            }
        }
    }

    private func make(_ cut: ProgressiveScans.Cut, _ decoder: JPEGScanDecoder) {
        guard !isOver else { return finish() }
        let made = Result { () throws(CodecError) in try picture(of: cut, decoder) }
        let isStale = state.withLock { $0.decoder !== decoder }
        if case .failure = made, !isStale { return finish() }
        guard !isStale, case .success(let image?) = made else {
            state.withLock { $0.isBusy = false }
            return goOn()
        }
        DispatchQueue.main.async { [self] in
            MainActor.assumeIsolated { deliver(image) }
            let now = clock.now
            state.withLock { state in
                state.isBusy = false
                state.last = now
            }
            goOn()
        }
    }

    /// Nil if the load's processor makes nothing of it, or its bytes are of no interest any more.
    private func picture(
        of cut: ProgressiveScans.Cut, _ decoder: JPEGScanDecoder
    ) throws(CodecError) -> Image? {
        let fresh = state.withLock { state -> [UInt8]? in
            guard state.decoder === decoder else { return nil }
            defer { state.fresh = [] }
            return state.fresh
        }
        guard let fresh else { return nil }
        decoder.append(fresh)
        guard let stored = try decoder.picture(scans: cut.scans) else { return nil }
        var bitmap = try stored.oriented(decoder.orientation)
        if progressive.isBlur, cut.blurRadius > 0 { bitmap = try blur(bitmap, cut.blurRadius) }
        let image = Image(bitmap: bitmap, scale: options.scaleFactor)
        return options.processor.process(item: .image(image), options: options)
    }

    @MainActor
    private func deliver(_ image: Image) {
        guard !isOver else { return }
        switch progressive.onImageUpdated.call(image) ?? .default {
        case .default: show(image)
        case .keepCurrent: return
        case .replace(let other): show(other)
        }
    }

    private var isOver: Bool { options.isSourceTaskStale || state.withLock { $0.isFinished } }
}
