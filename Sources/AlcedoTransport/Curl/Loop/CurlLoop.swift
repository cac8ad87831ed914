import AlcedoLocks
import CCurl
import Foundation

/// The network thread's loop: handles messages, lets libcurl transfer, and ends requests.
///
/// The extensions have a topic each: messages, admission, trust, timeouts, descriptors and nudging.
final class CurlLoop {
    /// Most easy handles to keep for later transfers.
    private static let pooledHandles = 128

    let inbox: Inbox
    let backpressure: Backpressure
    let multi: MultiHandle
    let context: LoopContext

    var transfers: [UInt64: CurlTransfer] = [:]
    private(set) var active: [CurlTransfer] = []
    private var connectionLimit = ConnectionLimit(descriptors: Descriptors.limit)
    var origins = OriginTable()
    /// Origins with transfers that wait for backpressure or descriptors.
    private var blockedOrigins: [OriginQueue<CurlTransfer>] = []
    private var pool: [EasyHandle] = []
    private var finished: [Outcome] = []
    private(set) var finishedBytes = 0
    private var lastURL: WebURL?

    /// When to nudge HTTP/2 transfers next.
    private var nextNudge = Double.infinity

    /// Whether libcurl has work since ``MultiHandle/perform()`` was last called.
    private var hasPendingWork = false

    init(_ inbox: Inbox, _ backpressure: Backpressure, _ multi: MultiHandle) {
        self.inbox = inbox
        self.backpressure = backpressure
        self.multi = multi
        context = LoopContext(multi.sockets)
        multi.limitConnections(to: connectionLimit.usual)
    }

    /// Returns when the inbox is closed and every transfer has finished.
    func run() {
        blockBrokenPipeSignals()
        var batch: [Inbox.Message] = []
        while true {
            let isLast = inbox.drain(into: &batch)
            context.now = MonotonicClock.now
            for message in batch { handle(message) }
            batch.removeAll(keepingCapacity: true)
            guard !isLast else { return finishAll() }
            work()
            if !hasPendingWork, inbox.fallAsleep() {
                multi.wait(seconds: min(context.nextExpiry, nextNudge) - MonotonicClock.now)
            }
        }
    }

    private func work() {
        hasPendingWork = false
        multi.perform()
        context.cookieHold.end()
        context.now = MonotonicClock.now
        while let (easy, code) = multi.nextDone() { conclude(easy, code) }
        while let origin = context.widened.popLast() {
            admit(from: origin)
            scheduleNudge()
        }
        if context.now >= nextNudge { nudge() }
        if context.now >= context.nextExpiry { expire() }
        deliver()
    }

    /// OpenSSL can write to a closed connection; the SIGPIPE would end the process by default.
    private func blockBrokenPipeSignals() {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }

    // MARK: - Running

    func start(_ transfer: CurlTransfer) {
        guard let easy = pool.popLast() ?? EasyHandle() else {
            // It was admitted, and without a handle `finish` does not give that back.
            transfer.origin.release()
            return finish(transfer, .failure(.noMemory(transfer.url)))
        }
        easy.prepare(transfer)
        transfer.easy = easy
        transfer.activeIndex = active.count
        active.append(transfer)
        if transfer.deadlines == nil {
            transfer.startDate = Date()
            transfer.deadlines = Deadlines(transfer.request.timeouts, start: context.now)
        }
        if transfer.request.trustScope != nil, transfer.url.isSecure, !watchCertificates(transfer, easy) {
            return
        }
        launch(transfer, easy)
    }

    private func watchCertificates(_ transfer: CurlTransfer, _ easy: EasyHandle) -> Bool {
        if CurlLibrary.usesOpenSSL, easy.watchCertificates(for: transfer) { return true }
        let reason = "libcurl uses \(CurlLibrary.tlsBackend)"
        finish(transfer, .failure(.cannotAskAboutServer(reason: reason, url: transfer.url.text)))
        return false
    }

    func launch(_ transfer: CurlTransfer, _ easy: EasyHandle) {
        transfer.requestStart = context.now
        transfer.enter(.connecting)
        if transfer.origin.protocolVersion == .multiplexed { scheduleNudge() }
        hasPendingWork = true
        if multi.add(easy) != true { finish(transfer, .failure(.noMemory(transfer.url))) }
    }

    /// Detaches a transfer from libcurl, and starts the next one of its origin.
    func release(_ transfer: CurlTransfer) {
        guard let easy = transfer.easy else { return transfer.origin.remove(transfer) }
        // libcurl counts its retries over all transfers of a handle, and gives up at the sixth.
        if transfer.hasFailed || transfer.machine.hasStartedOver { easy.profile = nil }
        withdrawTrustDecision(of: transfer)
        transfer.easy = nil
        multi.remove(easy)
        easy.recycle()
        if pool.count < Self.pooledHandles { pool.append(easy) }
        active.swapAt(transfer.activeIndex, active.count - 1)
        active[transfer.activeIndex].activeIndex = transfer.activeIndex
        active.removeLast()
        transfer.countBody(expected: nil, received: 0)
        transfer.origin.release()
        admit(from: transfer.origin)
    }

    // MARK: - Ending

    /// Ends a transfer; its handler is called by ``deliver()``.
    func finish(_ transfer: CurlTransfer, _ result: Result<TransferResult, TransportError>) {
        guard transfers.removeValue(forKey: transfer.task.id) != nil else { return }
        // Before `release`, which takes the easy handle.
        let metrics = transfer.deadlines == nil ? nil : transfer.collected ?? transfer.collect()
        var reservations: [Backpressure.Reservation] = []
        switch result {
        case .success(let result):
            // Counted before `release`, which admits others only if there is room.
            finishedBytes += result.body.count
            reservations = transfer.task.request.consumers?.reserve(result.body.count) ?? []
        case .failure: transfer.hasFailed = true
        }
        release(transfer)
        finished.append(
            Outcome(handler: transfer.handler, metrics: metrics, result: result, reservations: reservations))
    }

    /// Calls the handlers of ended transfers once the next requests are sent, all of a round together: worker threads are
    /// then woken once.
    private func deliver() {
        while !finished.isEmpty {
            var outcomes: [Outcome] = []
            swap(&outcomes, &finished)
            for outcome in outcomes {
                if let metrics = outcome.metrics { outcome.handler.transfer(didCollect: metrics) }
                outcome.handler.transferDidFinish(outcome.result)
                for reservation in outcome.reservations { reservation.release() }
            }
            finishedBytes = 0
            // Not every handler reserves its bytes, so there may be room.
            admitBlocked()
        }
    }

    private func finishAll() {
        // Queued transfers end first, so that none of them starts in place of one that ends.
        for transfer in transfers.values.filter({ $0.easy == nil }) { finish(transfer, .failure(.cancelled)) }
        // Otherwise the end of one transfer has the handler of another decide about a certificate.
        for transfer in active { transfer.origin.awaitingTrust = [] }
        for transfer in transfers.values { finish(transfer, .failure(.cancelled)) }
        deliver()
    }
}

/// A transfer's result, to be delivered to its handler.
private struct Outcome {
    let handler: any TransportHandler
    let metrics: TransportMetrics?
    let result: Result<TransferResult, TransportError>
    /// Count the body until the handler does.
    let reservations: [Backpressure.Reservation]
}

extension TransportError {
    static func noMemory(_ url: WebURL) -> TransportError {
        .other(code: Int(CURLE_OUT_OF_MEMORY.rawValue), reason: "out of memory", url: url.text)
    }
}

/// Starts transfers as their origins, backpressure and descriptors allow.
extension CurlLoop {
    /// Whether the bodies in flight from an origin, as announced, are so large that no further transfer to it starts.
    ///
    /// Their origin alone waits for them: a server that announces bytes and does not send them blocks no other.
    func isFull(_ origin: OriginQueue<CurlTransfer>) -> Bool {
        origin.bytesInFlight >= 2 * backpressure.limit
    }

    /// Whether all transfers in flight have received so much that no further one starts.
    ///
    /// An origin without a transfer may start one nevertheless: a slow server with large bodies blocks no other.
    var holdsTooMuch: Bool { context.bytesInFlight >= 8 * backpressure.limit }

    /// Starts the transfers of an origin that may start now.
    func admit(from origin: OriginQueue<CurlTransfer>) {
        while let next = origin.next {
            // A redirected transfer is not blocked, because its timeouts run.
            if next.deadlines == nil {
                // The end of one of its transfers admits the next.
                if isFull(origin) { break }
                let isHeld = holdsTooMuch && origin.active > 0
                if backpressure.isFull(with: finishedBytes) || isHeld || !hasDescriptors {
                    return block(origin)
                }
            }
            guard let transfer = origin.admit(connections: { $0.request.connectionsPerHost }) else { break }
            start(transfer)
        }
        if origin.hasBlockedMembers { block(origin) }
    }

    /// Starts the transfers of blocked origins that may start now.
    private func admitBlocked() {
        var origins: [OriginQueue<CurlTransfer>] = []
        swap(&origins, &blockedOrigins)
        for origin in origins {
            origin.isBlocked = false
            admit(from: origin)
        }
    }

    private func block(_ origin: OriginQueue<CurlTransfer>) {
        guard !origin.isBlocked else { return }
        origin.isBlocked = true
        blockedOrigins.append(origin)
    }

    /// Wakes the loop when a consumer of the transfer's body has room.
    private func watchConsumers(of transfer: CurlTransfer) {
        transfer.task.request.consumers?.observe(for: inbox) { [weak inbox] in _ = inbox?.post(.admit) }
    }
}

/// Works around a fault of libcurl 7.88; see ``CurlLibrary/forgetsBufferedStreams``.
extension CurlLoop {
    /// Seconds of silence after which an HTTP/2 transfer is nudged.
    private static let nudgeInterval = 0.05

    /// Has ``nudge()`` called soon, because an HTTP/2 transfer runs.
    private func scheduleNudge() {
        guard CurlLibrary.forgetsBufferedStreams else { return }
        nextNudge = min(nextNudge, context.now + Self.nudgeInterval)
    }

    /// Resumes HTTP/2 transfers that have received nothing for a while.
    ///
    /// libcurl 7.88 can read bytes of several streams from a connection, deliver some of them, and then wait for the
    /// socket instead of delivering the rest. If the server has no more to send, these transfers hang.
    func nudge() {
        nextNudge = .infinity
        for transfer in active where transfer.origin.protocolVersion == .multiplexed {
            nextNudge = context.now + Self.nudgeInterval
            guard let deadlines = transfer.deadlines, deadlines.stage != .connecting else { continue }
            let isSilent = context.now - deadlines.since >= Self.nudgeInterval
            if isSilent, !transfer.isPaused { transfer.easy?.nudge() }
        }
        hasPendingWork = true
    }
}

/// Handles messages from other threads.
extension CurlLoop {
    func handle(_ message: Inbox.Message) {
        switch message {
        case .start(let task, let handler):
            enqueue(task, handler)
        case .cancel(let id):
            if let transfer = transfers[id] { finish(transfer, .failure(.cancelled)) }
        case .reorder(let id):
            guard let transfer = transfers[id] else { return }
            transfer.rank = Rank(priority: transfer.task.priority, sequence: id)
            // A consumer may have joined since.
            watchConsumers(of: transfer)
            transfer.origin.reorder(transfer)
            admit(from: transfer.origin)
        case .decided(let id):
            if let transfer = transfers[id] { applyDecision(to: transfer) }
        case .admit: admitBlocked()
        }
    }

    private func enqueue(_ task: CurlTransportTask, _ handler: any TransportHandler) {
        guard !task.isCancelled else { return handler.transferDidFinish(.failure(.cancelled)) }
        do throws(TransportError) {
            let url = try RequestCheck.url(of: task.request, after: lastURL)
            lastURL = url
            let origin = origins[url, task.request.trustScope]
            let transfer = CurlTransfer(task, handler: handler, url: url, origin: origin, context: context)
            transfers[task.id] = transfer
            watchConsumers(of: transfer)
            origin.enqueue(transfer)
            admit(from: origin)
            limitWait(of: transfer)
        } catch {
            handler.transferDidFinish(.failure(error))
        }
    }

    /// The handler has made a decision that the transfer waits for.
    private func applyDecision(to transfer: CurlTransfer) {
        if case .awaitingTrust = transfer.machine.state { return applyTrustDecision(to: transfer) }
        if !transfer.applyDecision() { return abort(transfer) }
        if let verdict = transfer.verdict { return end(transfer, verdict) }
        guard transfer.isPaused, transfer.deadlines?.stage != .suspended else { return }
        transfer.isPaused = false
        transfer.easy?.resume()
        hasPendingWork = true
        // Resuming has called the callbacks, which may have found a reason to fail.
        if transfer.machine.failure != nil { abort(transfer) }
    }
}

/// Limits the transfers when the process runs out of descriptors.
extension CurlLoop {
    private var hasDescriptors: Bool {
        if connectionLimit.endShortage(at: context.now) { multi.limitConnections(to: connectionLimit.usual) }
        if active.count < connectionLimit.current { return true }
        // The program may have raised the limit. The check is a system call: one for each round of the loop is enough.
        guard connectionLimit.checkedAt < context.now else { return false }
        connectionLimit.checkedAt = context.now
        let descriptors = Descriptors.limit
        guard descriptors != connectionLimit.descriptors else { return false }
        connectionLimit = ConnectionLimit(descriptors: descriptors)
        multi.limitConnections(to: connectionLimit.usual)
        return active.count < connectionLimit.current
    }

    /// Queues a transfer again that found no descriptor; false if nothing will free one.
    ///
    /// It replaces an idle connection, or starts once another transfer has ended.
    func requeue(_ transfer: CurlTransfer) -> Bool {
        let running = active.count - 1
        guard running > 0 || context.sockets.count > 0 else { return false }
        connectionLimit.recordShortage(running: running, at: context.now)
        // From here on libcurl closes an idle connection before it opens another.
        multi.limitConnections(to: max(1, context.sockets.count))
        release(transfer)
        transfer.reset()
        // As if it had never left the queue: its timeouts start again.
        transfer.deadlines = nil
        transfer.origin.enqueue(transfer)
        admit(from: transfer.origin)
        return true
    }
}

/// The queues of origins; removes idle ones from time to time.
struct OriginTable {
    private static let idleLimit = 512

    private var queues: [String: OriginQueue<CurlTransfer>] = [:]
    private var pruneAbove = Self.idleLimit

    /// The queue of the transfers that share connections to the origin of `url`.
    subscript(url: WebURL, scope: TrustScope?) -> OriginQueue<CurlTransfer> {
        mutating get {
            let origin = scope.map { "\(url.origin) \($0.number)" } ?? url.origin
            if let queue = queues[origin] { return queue }
            if queues.count > pruneAbove {
                queues = queues.filter { !$0.value.isIdle }
                pruneAbove = queues.count + Self.idleLimit
            }
            let queue = OriginQueue<CurlTransfer>()
            queues[origin] = queue
            return queue
        }
    }
}
