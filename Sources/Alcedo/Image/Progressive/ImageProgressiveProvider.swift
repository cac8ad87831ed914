import AlcedoCodecs
import AlcedoLocks
import AlcedoRaster
package import Foundation

/// Shows a progressive JPEG while it loads.
///
/// Looks for complete scans on the network thread, which takes no time, decodes them on a worker thread, one at a time,
/// and hands pictures over on the main thread. It stops when its task is stale or ``finish()`` is called.
package final class ImageProgressiveProvider<Time: Clock<Duration>>: DataReceivingSideEffect {
    /// Blurs pixels by a radius in pixels.
    package typealias Blur = @Sendable (Bitmap, Double) throws(CodecError) -> Bitmap

    private struct State {
        var scans: ProgressiveScans
        var data = Data()
        /// Between the decision for a picture and its delivery.
        var isBusy = false
        var isFinished = false
        /// When the last picture was delivered.
        var last: Time.Instant?
    }

    private enum Step {
        case nothing
        case make(ProgressiveScans.Cut, Data)
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
        state = Lock(State(scans: ProgressiveScans(onlyLatest: progressive.isFastestScan)))
    }

    /// Makes a provider that goes by the system's clock.
    package convenience init(
        _ progressive: ImageProgressive,
        options: KingfisherParsedOptionsInfo,
        show: @escaping @MainActor @Sendable (KFCrossPlatformImage?) -> Void
    ) where Time == ContinuousClock {
        self.init(progressive, options: options, clock: ContinuousClock(), show: show)
    }

    package func download(_ task: SessionDataTask, didReceive data: Data) { receive(data) }

    /// Takes all bytes so far.
    func receive(_ data: Data) {
        guard !options.isSourceTaskStale else { return finish() }
        let isWaiting = state.withLock { state in
            guard !state.isFinished, state.scans.isLooking, data.count <= options.decodeLimits.encodedBytes
            else { return false }
            state.scans.receive(data.bytes)
            if state.scans.isWaiting { state.data = data }
            return state.scans.isWaiting
        }
        if isWaiting { goOn() }
    }

    /// Shows no more pictures: the image is there, or never will be.
    ///
    /// Called on the main thread, nothing is shown once it has returned.
    package func finish() {
        state.withLock { state in
            state.isFinished = true
            state.scans.stop()
            state.data = Data()
        }
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
            return state.scans.next().map { .make($0, state.data) } ?? .nothing
        }
        switch step {
        case .nothing: return
        case .make(let cut, let data): WorkerPool.shared.submit { [self] in make(cut, data) }
        case .wait(let instant):
            Task { [self] in
                try? await clock.sleep(until: instant, tolerance: nil)
                state.withLock { $0.isBusy = false }
                goOn()
            }
        }
    }

    private func make(_ cut: ProgressiveScans.Cut, _ data: Data) {
        guard !isOver, let image = try? picture(of: cut, data) else {
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

    private func picture(of cut: ProgressiveScans.Cut, _ data: Data) throws(CodecError) -> Image? {
        // Complete scans and an end marker make a complete, if coarse, JPEG.
        let encoded = try EncodedImage(
            data.prefix(cut.length) + [0xFF, 0xD9], limits: options.decodeLimits, onlyFirstFrame: true)
        var bitmap = try encoded.decode()
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
