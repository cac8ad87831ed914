import AlcedoPixels
import Glibc

/// The frames of an animation that a worker decodes one by one as they are asked for.
///
/// The worker keeps the animation and its place, beside others. If it has ended since the last frame, another one opens the
/// animation again and skips what has been shown.
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

    /// Opens the animation.
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
        return try decoding.ask(.open, options, session: session, allowance: 0) { worker, answer in
            guard let info = decoding.facts(answer.message) else { return nil }
            worker.countSession()
            return (info, Place(worker: worker, session: session))
        }
    }

    func rewind() { position = 0 }

    func next() throws(CodecError) -> AnimationFrame? {
        // What ends workers is more likely this animation than another one's each time.
        for _ in 0..<3 {
            if let frame = try attempt() { return frame.value }
        }
        throw .workerFailed(decoding.format, .unavailable(reason: "workers ended one after the other"))
    }

    private struct Frame { let value: AnimationFrame? }

    /// The next frame; nil if the worker has ended before this was asked of it.
    private func attempt() throws(CodecError) -> Frame? {
        if place == nil {
            let (info, place) = try Self.open(decoding, options)
            self.place = place
            workerPosition = 0
            guard info == self.info else {
                throw .workerFailed(decoding.format, .invalidAnswer(reason: "its headers have changed"))
            }
        }
        if workerPosition > position {
            guard try ask(.rewind, { $0.message.kind == .nothing ? true : nil }) != nil else { return nil }
            workerPosition = 0
        }
        while workerPosition < position {
            guard try ask(.skip, { $0.message.kind == .nothing ? true : nil }) != nil else { return nil }
            workerPosition += 1
        }
        let size = info.size
        let frame = try ask(.next) { answer -> Frame? in
            if answer.message.kind == .nothing { return Frame(value: nil) }
            guard let bitmap = answer.bitmap, bitmap.size == size, options.allows(bitmap),
                let duration = answer.duration
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

    /// Asks the worker that has the animation; nil if it has ended.
    private func ask<Value>(
        _ kind: Message.Kind, _ read: (borrowing Worker.Answer) -> Value?
    ) throws(CodecError) -> Value? {
        guard let place else { return nil }
        var request = DecodeRequest(kind)
        request.session = place.session
        request.options.limits = options.limits
        let allowance = kind == .next ? IsolatedDecoding.pixelBytes(options.limits) : 0
        let outcome: IsolatedDecoding.Outcome<Value>?
        do throws(WorkerFailure) {
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
            throw .workerFailed(decoding.format, error)
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
