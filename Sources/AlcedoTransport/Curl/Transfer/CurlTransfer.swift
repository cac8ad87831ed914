import CCurl
import Foundation

/// Drives one ``TransferMachine`` with libcurl; used on the loop's thread only.
///
/// `CurlTransfer+Callbacks.swift` has what libcurl calls, `+Decisions` what the handler decides, `+Ending` how a request
/// ends, `+Errors` the reasons, `+Metrics` the measurements.
final class CurlTransfer: Ranked {
    let task: CurlTransportTask
    let handler: any TransportHandler
    let context: LoopContext

    var machine: TransferMachine
    private(set) var origin: OriginQueue<CurlTransfer>

    /// The current request.
    var request: TransportRequest { machine.request }
    var url: WebURL { machine.url }

    /// The current response's headers, and the body.
    var headers = HeaderBlock()
    var body: SharedBody { task.body }

    /// The handler's decision that the machine waits for.
    var decision: Decision<TransferMachine.Event>?

    /// The handler's decision about the certificate; nil while another transfer's handler decides.
    var trustDecision: Decision<TrustAnswer>?

    /// An address of the host that the request's policy forbids.
    var refusedAddress: String?

    /// The body's bytes that count in the origin, as announced, and in the loop, as received.
    private var counted = (announced: 0, received: 0)

    /// Whether libcurl's transfer is paused.
    var isPaused = false

    /// Whether the transfer has failed, after which the easy handle needs a reset.
    var hasFailed = false

    /// The `errno` of a missing descriptor; nil if there was one.
    var shortage: Int32?

    /// How libcurl ended the request, if that was before the handler's decision.
    var verdict: CURLcode?

    /// The headers of a proxy's refusal to open a tunnel; nil unless libcurl's debug output is on.
    var tunnelHeaders: HeaderBlock?

    /// Checks the server's certificate in the handshake, if the request has a trust scope.
    var check: TrustCheck?

    /// Set while libcurl has the request.
    var easy: EasyHandle?
    var activeIndex = 0

    /// Set when the first request leaves the queue.
    var deadlines: Deadlines?
    var startDate = Date(timeIntervalSinceReferenceDate: 0)

    /// When the current request left the queue, in seconds of the loop's clock.
    var requestStart = 0.0

    /// Set when the current request was sent over TLS.
    var tlsVersion: String?
    var speaksHTTP2 = false
    var isRecorded = false
    var records: [RequestMetrics] = []
    var collected: TransportMetrics?

    var heapIndex: Int?
    var rank: Rank

    /// Backpressure blocks the start only: a redirected transfer continues.
    var blocker: Backpressure? { deadlines == nil ? task.request.consumers?.blocker : nil }

    var hasSeveralPaths: Bool { task.request.consumers?.hasSeveralPaths ?? false }

    init(
        _ task: CurlTransportTask, handler: any TransportHandler, url: WebURL,
        origin: OriginQueue<CurlTransfer>,
        context: LoopContext
    ) {
        self.task = task
        self.handler = handler
        self.origin = origin
        self.context = context
        machine = TransferMachine(task.request, at: url)
        rank = Rank(priority: task.priority, sequence: task.id)
    }

    /// Prepares for the request that a redirect leads to.
    func follow(_ next: TransportRequest, at url: WebURL, origin: OriginQueue<CurlTransfer>) {
        machine.follow(next, at: url)
        self.origin = origin
        tunnelHeaders = nil
        reset()
    }

    /// Counts the bytes of the body that is being received.
    func countBody(expected: Int64?, received: Int) {
        // A lie must not overflow the sum.
        let announced = max(received, expected.map { Int(clamping: min($0, 1 << 40)) } ?? 0)
        origin.bytesInFlight += announced - counted.announced
        context.bytesInFlight += received - counted.received
        counted = (announced, received)
    }

    /// Prepares for sending the current request, perhaps again.
    func reset() {
        countBody(expected: nil, received: 0)
        machine.reset()
        body.reset()
        headers = HeaderBlock()
        decision = nil
        trustDecision = nil
        refusedAddress = nil
        shortage = nil
        verdict = nil
        isPaused = false
        check = nil
        isRecorded = false
        tlsVersion = nil
        speaksHTTP2 = false
        if tunnelHeaders != nil { tunnelHeaders = HeaderBlock() }
    }

    /// Enters a stage, and schedules its timeout.
    func enter(_ stage: Deadlines.Stage) {
        deadlines?.enter(stage, at: context.now)
        if let next = deadlines?.next.at { context.nextExpiry = min(context.nextExpiry, next) }
    }
}

/// The state that the loop shares with its transfers.
final class LoopContext {
    let sockets: SocketTable

    /// The time of the loop's current round.
    var now = MonotonicClock.now

    /// A lower bound of all timeouts.
    var nextExpiry = Double.infinity

    /// Bytes that all transfers in flight have received.
    var bytesInFlight = 0

    var cookieHold = CookieHold()

    /// Origins that allow more requests since their last response.
    var widened: [OriginQueue<CurlTransfer>] = []

    init(_ sockets: SocketTable) { self.sockets = sockets }
}
