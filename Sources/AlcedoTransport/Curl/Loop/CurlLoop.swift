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
    var connectionLimit = ConnectionLimit(descriptors: Descriptors.limit)
    var origins = OriginTable()
    /// Origins with transfers that wait for backpressure or descriptors.
    var blockedOrigins: [OriginQueue<CurlTransfer>] = []
    private var pool: [EasyHandle] = []
    private var finished: [Outcome] = []
    /// Bytes of the bodies in `finished`.
    private(set) var finishedBytes = 0
    var lastURL: WebURL?

    /// When to nudge HTTP/2 transfers next.
    var nextNudge = Double.infinity

    /// Whether libcurl has work since ``MultiHandle/perform()`` was last called.
    var hasPendingWork = false

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

    /// Sends an admitted transfer's request.
    func start(_ transfer: CurlTransfer) {
        guard let easy = pool.popLast() ?? EasyHandle() else {
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
        let metrics = transfer.deadlines == nil ? nil : transfer.collected ?? transfer.collect()
        var reservations: [Backpressure.Reservation] = []
        switch result {
        case .success(let result):
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
