import AlcedoLocks
import Foundation
import Synchronization

/// One transfer of a local URL.
///
/// Files are opened, read and closed on threads for files. While one of these hangs, a timeout or a cancellation ends the
/// transfer on another.
final class LocalTransportTask: TransportTask {
    private typealias Outcome = Result<TransferResult, TransportError>

    private struct State {
        /// Nil before the start and after the end.
        var handler: (any TransportHandler)?

        /// Whether a method of the handler runs, after which its thread ends the transfer if ``ending`` is set.
        var isCalling = false
        var ending: Outcome?
        var job: FileQueue.Job?
    }

    /// How far a read came.
    private enum Step: Sendable {
        case ended(TransferResult)

        /// The handler has yet to decide, which starts another read.
        case offered
    }

    private let request: TransportRequest
    private let replayed: (response: TransportResponse, body: Data, entry: PendingEntry?)?
    private let files: FileQueue
    private let start = MonotonicClock.now
    private let startDate = Date()
    private let cancelled = Atomic(false)
    private let priorityBits: Atomic<UInt32>
    private let state = Lock(State())

    convenience init(_ request: TransportRequest, files: FileQueue) {
        self.init(request, replayed: nil, files: files)
    }

    /// A transfer that delivers a stored response instead of reading the URL.
    convenience init(
        _ request: TransportRequest, replaying response: TransportResponse, _ body: Data,
        _ entry: PendingEntry?
    ) {
        self.init(request, replayed: (response, body, entry), files: .files)
    }

    private init(
        _ request: TransportRequest,
        replayed: (response: TransportResponse, body: Data, entry: PendingEntry?)?,
        files: FileQueue
    ) {
        self.request = request
        self.replayed = replayed
        self.files = files
        priorityBits = Atomic(request.priority.bitPattern)
    }

    var priority: Float {
        get { Float(bitPattern: priorityBits.load(ordering: .relaxed)) }
        set { priorityBits.store(newValue.bitPattern, ordering: .relaxed) }
    }

    func cancel() {
        guard !cancelled.exchange(true, ordering: .acquiringAndReleasing) else { return }
        state.withLock { $0.job.take() }?.cancel()
        LocalTransport.memory.async { self.finish(.failure(.cancelled)) }
    }

    func start(_ handler: any TransportHandler) {
        state.withLock { $0.handler = handler }
        do throws(TransportError) {
            if let (response, body, _) = replayed { return offer(response, body) }
            switch LocalScheme(of: request.address) {
            case .file where request.addressPolicy.isRestricted:
                throw .addressRejected("file:", url: request.address)
            case .file: try read(FileURL.path(of: request.address), accepted: nil)
            case .data: offerData()
            case nil:
                let address = request.address
                throw .unsupportedScheme(LocalScheme.name(in: address) ?? "", url: address)
            }
        } catch {
            LocalTransport.memory.async { self.finish(.failure(error)) }
        }
    }

    // MARK: - Bytes in memory

    private func offerData() {
        LocalTransport.memory.async { [self] in
            do throws(TransportError) {
                let url = try DataURL(request.address)
                let headers = [(name: "Content-Type", value: url.mediaType)]
                offer(
                    TransportResponse(
                        url: request.url, status: 0, headers: headers, expectedBytes: Int64(url.body.count)),
                    url.body)
            } catch {
                finish(.failure(error))
            }
        }
    }

    private func offer(_ response: TransportResponse, _ body: Data) {
        LocalTransport.memory.async { [self] in
            do throws(TransportError) { try checkSize(Int64(body.count)) } catch {
                return finish(.failure(error))
            }
            let decision = offer(response) { [self] isWanted in
                LocalTransport.memory.async { self.apply(isWanted, response, body) }
            }
            if let decision { apply(decision, response, body) }
        }
    }

    private func apply(_ isWanted: Bool, _ response: TransportResponse, _ body: Data) {
        guard isWanted else { return finish(.failure(.rejected(url: request.address))) }
        if !body.isEmpty {
            call { handler in
                body.withUnsafeBytes {
                    handler.transfer(
                        didReceive: $0.bytes, received: Int64(body.count), expected: response.expectedBytes)
                }
            }
        }
        finish(.success(result(response, body)))
    }

    // MARK: - Files

    /// Reads a file on a thread for files; offers its response first, if that has not been `accepted`.
    private func read(_ path: String, accepted: TransportResponse?) {
        let timeouts = request.timeouts
        let job = files.run(
            path, limits: FileLimits(seconds: timeouts.firstByte.seconds, total: timeouts.total.seconds)
        ) { [self] reading in
            do throws(TransportError) {
                return .success(try read(path, accepted: accepted, reading))
            } catch {
                return .failure(error)
            }
        } then: { [self] result in
            switch result {
            case .success(.ended(let result)): finish(.success(result))
            case .success(.offered): break
            case .failure(let error): finish(.failure(error))
            }
        }
        state.withLock { $0.job = job }
        // A cancellation before the line above has found no job.
        if cancelled.load(ordering: .acquiring) { job.cancel() }
    }

    private func read(
        _ path: String, accepted: TransportResponse?, _ reading: FileQueue.Reading
    ) throws(TransportError) -> Step {
        let file = try OpenFile(path)
        reading.progress(stall: FileLimits.intervals(request.timeouts.stall.seconds))
        try checkSize(file.size)
        let response =
            accepted
            ?? TransportResponse(url: request.url, status: 0, headers: [], expectedBytes: file.size)
        if accepted == nil {
            let decision = reading.calling {
                offer(response) { [self] isWanted in
                    guard !isWanted else { return read(path, accepted: response) }
                    let address = self.request.address
                    LocalTransport.memory.async { self.finish(.failure(.rejected(url: address))) }
                }
            }
            // The file is closed here, because it may hang whoever closes it.
            guard let decision else { return .offered }
            guard decision else { throw .rejected(url: request.address) }
        }
        return .ended(result(response, try content(of: file, reading)))
    }

    private func content(of file: OpenFile, _ reading: FileQueue.Reading) throws(TransportError) -> Data {
        try file.contents(expected: file.size) { chunk, received throws(TransportError) in
            try checkSize(received)
            let goesOn = reading.calling {
                call { $0.transfer(didReceive: chunk.bytes, received: received, expected: file.size) }
            }
            guard goesOn, !reading.isOver else { throw .cancelled }
        }
    }

    private func checkSize(_ count: Int64) throws(TransportError) {
        guard count <= request.maximumBodyBytes else {
            throw .tooLarge(limit: request.maximumBodyBytes, url: request.address)
        }
    }

    // MARK: - The handler

    /// Offers a response: returns the decision if the handler makes it at once, and otherwise calls `later` with it.
    private func offer(
        _ response: TransportResponse, later: @escaping @Sendable (Bool) -> Void
    ) -> Bool? {
        let decision = Decision<Bool>()
        call { handler in
            handler.transfer(didReceive: response) { isWanted in
                if decision.make(isWanted), let isWanted = decision.take() { later(isWanted) }
            }
        }
        return decision.take()
    }

    /// Calls the handler, unless the transfer has ended; false if it has by now.
    @discardableResult
    private func call(_ body: (any TransportHandler) -> Void) -> Bool {
        let handler = state.withLock { state in
            state.isCalling = state.handler != nil
            return state.handler
        }
        guard let handler else { return false }
        body(handler)
        let ending = state.withLock { state in
            state.isCalling = false
            if state.ending != nil { state.handler = nil }
            return state.ending.take()
        }
        if let ending { handler.transferDidFinish(ending) }
        return ending == nil
    }

    private func result(_ response: TransportResponse, _ body: Data) -> TransferResult {
        var metrics = TransportMetrics()
        metrics.start = startDate
        metrics.total = MonotonicClock.now - start
        metrics.bytesReceived = Int64(body.count)
        var result = TransferResult(response: response, body: body, metrics: metrics)
        result.pendingEntry = replayed?.entry
        return result
    }

    /// Ends the transfer, unless it has ended: now, or when the handler's method that runs has returned.
    private func finish(_ outcome: Outcome) {
        let outcome = cancelled.load(ordering: .acquiring) ? .failure(.cancelled) : outcome
        let handler = state.withLock { state -> (any TransportHandler)? in
            state.job = nil
            guard state.isCalling else { return state.handler.take() }
            state.ending = state.ending ?? outcome
            return nil
        }
        handler?.transferDidFinish(outcome)
    }
}
