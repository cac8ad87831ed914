import Alcedo
import AlcedoCodecs
import AlcedoLocks
import AlcedoPixels
import AlcedoTransport
import Foundation

/// Which frame of a source is loaded, if it is a video.
struct VideoFrameChoice: Sendable {
    var seconds: Double

    /// The most pixels that it may have.
    var mostPixels: Int

    var key: String { "frame \(seconds) \(mostPixels)" }

    init(_ options: ProcessingOptions, _ rules: ResponseRules) {
        seconds = options.videoSecond
        mostPixels = rules.mostPixels(options)
    }

    fileprivate func limits(until deadline: ContinuousClock.Instant) -> DecodeLimits {
        DecodeLimits {
            ($0.pixelsPerFrame, $0.storedPixelsPerFrame) = (mostPixels, mostPixels)
            $0.seconds = max(0.05, ContinuousClock.now.duration(to: deadline).seconds)
        }
    }
}

/// A source from the network that may be a video.
struct RemoteVideoSource: Sendable {
    let source: ImageSource
    let passed: PassedHeaders
    let frame: VideoFrameChoice

    /// The most bytes that are loaded.
    let limit: Int

    /// When it was requested first.
    let date: Date
    let deadline: ContinuousClock.Instant
}

extension SourceLoader {
    /// The outcome of a source whose first request has had a result; nil if that is the outcome.
    ///
    /// A video is loaded by its parts, so that its length does not matter. That of a source which is longer than allowed is
    /// known by its first part.
    func outcome(
        of video: RemoteVideoSource, after result: Result<RemoteSource.Response, RequestFailure>
    ) async -> SourceOutcome? {
        switch result {
        case .success(let response) where response.isUnreadVideo:
            return await outcome(of: video, whole: nil, failure: nil)
        case .success(let response) where [200, 203].contains(response.status):
            let body = response.result.body
            guard VideoContainer.recognizes(body.bytes, codecs: codecs) else { return nil }
            return await outcome(of: video, whole: response, failure: nil)
        case .failure(let failure) where failure.isOfSize:
            return await outcome(of: video, whole: nil, failure: failure)
        case .success, .failure: return nil
        }
    }

    /// The frame of a video, of which the body may be there already.
    ///
    /// `failure` is why it isn't, and the outcome if it turns out to be none.
    private func outcome(
        of video: RemoteVideoSource, whole: RemoteSource.Response?, failure: RequestFailure?
    ) async -> SourceOutcome {
        let partial = PartialVideo(
            at: video.source.text, seconds: video.frame.seconds,
            limits: video.frame.limits(until: video.deadline), byteLimit: video.limit, clampsTime: true)
        var head = whole?.head
        let frame: Bitmap
        do {
            frame = try await partial.frame { part in
                if let whole { return PartialVideo.PartResponse(whole) }
                let response: RemoteSource.Response
                do throws(RequestFailure) { response = try await load(part, of: video) } catch {
                    // A server sends the whole file if that is another one by now.
                    if error.isOfSize, !part.isFirst { throw partial.hasChanged }
                    throw error
                }
                if let failure, part.isFirst,
                    !VideoContainer.recognizes(response.result.body.bytes, codecs: codecs)
                {
                    throw failure
                }
                var first = head ?? response.head
                first.privacy = .stricter(first.privacy, response.head.privacy)
                head = first
                return PartialVideo.PartResponse(response)
            } decode: { job in
                try await onWorker(until: video.deadline, span: Self.span, job)
            }
        } catch { return .failed(RequestFailure(ofVideo: error)) }
        return await outcome(of: frame, head ?? SourceHead(), video.date, video.deadline)
    }

    private func load(
        _ part: PartialVideo.PartRequest, of video: RemoteVideoSource
    ) async throws(RequestFailure) -> RemoteSource.Response {
        let left = ContinuousClock.now.duration(to: video.deadline)
        let response = try await download(
            video.source, passing: video.passed, headers: part.headers, limit: part.byteLimit,
            within: max(.milliseconds(10), left)
        ).get()
        guard [200, 203, 206].contains(response.status) else {
            throw RequestFailure(response, from: video.source)
        }
        return response
    }

    /// The frame of a video in a file.
    func outcome(
        of choice: VideoFrameChoice, in file: LocalSource, _ date: Date, _ deadline: ContinuousClock.Instant
    ) async -> SourceOutcome {
        let frame: Bitmap
        do {
            let limits = choice.limits(until: deadline)
            frame = try await onWorker(until: deadline, span: Self.span) {
                Result { () throws(CodecError) in
                    try file.withDescriptor { descriptor throws(CodecError) in
                        try VideoFrame.clamped(descriptor, seconds: choice.seconds, limits: limits)
                    }
                }
            }.get()
        } catch { return .failed(RequestFailure(ofVideo: error)) }
        return await outcome(of: frame, file.head, date, deadline)
    }

    private func outcome(
        of frame: Bitmap, _ head: SourceHead, _ date: Date, _ deadline: ContinuousClock.Instant
    ) async -> SourceOutcome {
        do {
            let data = try await onWorker(until: deadline) {
                Result { () throws(CodecError) in try VideoFrame.encoded(frame) }
            }.get()
            return .fetched(FetchedSource(data: data, head: head, checked: date))
        } catch { return .failed(RequestFailure(ofVideo: error)) }
    }

    private static let span = "decode video"

    /// Runs `body` as soon as a worker is free.
    private func onWorker<Value: Sendable>(
        until deadline: ContinuousClock.Instant, span name: String? = nil,
        _ body: @escaping @Sendable () -> Value
    ) async throws(RequestFailure) -> Value {
        let worker: Admission.Permit
        do throws(Admission.Rejection) { worker = try await engine.workers.enter(until: deadline) } catch {
            throw error == .timedOut ? .timedOut : .cancelled
        }
        let span = name.flatMap { Trace.start($0) }
        defer { span?.end() }
        return await engine.blocking(worker, body)
    }
}

extension PartialVideo.PartResponse {
    fileprivate init(_ response: RemoteSource.Response) {
        self.init(response.result.response, body: response.result.body)
    }
}

extension RequestFailure {
    /// A video without the frame.
    fileprivate init(ofVideo error: any Error) {
        switch error {
        case let failure as RequestFailure: self = failure
        case let error as CodecError: self.init(error)
        case let error as TransportError: self.init(error)
        default: self = .internalError("the video can't be read: \(error)")
        }
    }
}
