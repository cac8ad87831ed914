import AlcedoPixels
import Glibc

/// The frames of an animation that a worker decodes on demand.
///
/// The worker keeps the animation's state. If it has ended since the last frame, another one opens the animation and skips the
/// frames that were decoded.
final class IsolatedFrames: FrameDecoder {
    private let bytes: EncodedBytes
    private let decoding: IsolatedDecoding
    private let options: DecodeOptions
    private var place: Place?

    /// The frame that is next, of the caller's and of the worker's.
    private var position = 0
    private var workerPosition = 0

    /// Whether the system has killed a worker since the last frame, which is worth a second chance.
    private var wasKilled = false

    let info: ImageInfo

    /// Where the animation is open.
    private struct Place {
        let worker: Worker
        let session: Int
    }

    init(_ bytes: EncodedBytes, _ decoding: IsolatedDecoding, options: DecodeOptions) throws(CodecError) {
        self.bytes = bytes
        self.decoding = decoding
        self.options = options
        let (info, place) = try Self.open(decoding, options)
        self.info = info
        self.place = place
    }

    deinit { place.map { $0.worker.close(session: $0.session) } }

    private static func open(
        _ decoding: IsolatedDecoding, _ options: DecodeOptions
    ) throws(CodecError) -> (ImageInfo, Place) {
        let session = decoding.pool.newSession()
        return try decoding.send(.open, options, session: session, allowance: 0) { worker, response in
            guard let info = decoding.facts(response.message) else { return nil }
            worker.countSession()
            return (info, Place(worker: worker, session: session))
        }
    }

    func rewind() { position = 0 }

    func next() throws(CodecError) -> AnimationFrame? {
        // After three workers have ended, this animation is the likely cause.
        for _ in 0..<3 {
            if let frame = try attempt() { return frame.value }
        }
        throw .sandboxFailed(decoding.format, .unavailable(reason: "workers ended one after the other"))
    }

    private struct Frame { let value: AnimationFrame? }

    /// The next frame; nil if the worker had ended before the request.
    private func attempt() throws(CodecError) -> Frame? {
        if place == nil {
            let (info, place) = try Self.open(decoding, options)
            self.place = place
            workerPosition = 0
            guard info == self.info else {
                throw .sandboxFailed(decoding.format, .invalidResponse(reason: "its headers have changed"))
            }
        }
        if workerPosition > position {
            guard try send(.rewind, { $0.message.kind == .nothing ? true : nil }) != nil else { return nil }
            workerPosition = 0
        }
        while workerPosition < position {
            guard try send(.skip, { $0.message.kind == .nothing ? true : nil }) != nil else { return nil }
            workerPosition += 1
        }
        let size = info.size
        let frame = try send(.next) { response -> Frame? in
            if response.message.kind == .nothing { return Frame(value: nil) }
            guard let bitmap = response.bitmap(decoding.conversion),
                options.inBands ? bitmap.width == size.width : bitmap.size == size,
                options.allows(bitmap),
                let duration = response.duration
            else { return nil }
            return Frame(value: AnimationFrame(bitmap: bitmap, duration: duration))
        }
        guard let frame else { return nil }
        wasKilled = false
        if frame.value != nil {
            position += 1
            workerPosition += 1
        }
        return frame
    }

    /// Sends a request to the animation's worker; nil if it has ended.
    private func send<Value>(
        _ kind: Message.Kind, _ read: (borrowing Worker.Response) -> Value?
    ) throws(CodecError) -> Value? {
        guard let place else { return nil }
        var request = DecodeRequest(kind)
        request.session = place.session
        request.options.limits = options.limits
        let allowance = kind == .next ? decoding.pixelBytes : 0
        let outcome: IsolatedDecoding.Outcome<Value>?
        do throws(DecodeSandbox.Failure) {
            outcome = try decoding.pool.perform(
                Worker.Job(request: request, allowance: allowance), on: place.worker
            ) {
                $0.outcome(in: decoding.format, $0.message.kind == .failure ? nil : read($0))
            }
        } catch .died(signal: SIGKILL) where !wasKilled {
            wasKilled = true
            outcome = nil
        } catch {
            self.place = nil
            decoding.pool.reject(decoding.input, after: error, seconds: options.limits.seconds)
            throw .sandboxFailed(decoding.format, error)
        }
        switch outcome {
        case .value(let value): return value
        case .failure(let error): throw error
        case nil:
            self.place = nil
            return nil
        }
    }
}
