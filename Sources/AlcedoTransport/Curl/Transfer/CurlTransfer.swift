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

    /// An address that the host has and that must not be connected to.
    var refusedAddress: String?

    /// Whether libcurl holds bytes back until it is told to go on.
    var isPaused = false

    /// Whether the transfer has failed, after which the easy handle needs a reset.
    var hasFailed = false

    /// Why there is no descriptor for a connection, if that is so: an `errno`.
    var shortage: Int32?

    /// Libcurl's verdict, if it came before the handler's decision.
    var verdict: CURLcode?

    /// What a proxy has said instead of opening a tunnel; nil unless libcurl is to tell.
    var tunnelHeaders: HeaderBlock?

    /// Looks at the server's certificate while the connection is made, if the handler is to be asked.
    var check: TrustCheck?

    /// Set while the transfer is with libcurl.
    var easy: EasyHandle?
    var activeIndex = 0

    /// Set when the first request leaves the queue.
    var deadlines: Deadlines?
    var startDate = Date(timeIntervalSinceReferenceDate: 0)

    /// When the current request left the queue, on the loop's clock.
    var requestStart = 0.0

    /// Set when the current request was sent over TLS.
    var tlsVersion: String?
    var speaksHTTP2 = false
    var isRecorded = false
    var records: [RequestMetrics] = []
    var collected: TransportMetrics?

    var heapIndex: Int?
    var rank: Rank

    /// Who has begun goes on, whoever waits for its body.
    var blocker: Backpressure? { deadlines == nil ? task.request.consumers?.blocker : nil }

    var hasSeveralPaths: Bool { task.request.consumers?.hasSeveralPaths ?? false }

    init(
        _ task: CurlTransportTask, handler: any TransportHandler, url: WebURL, origin: OriginQueue<CurlTransfer>,
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

    /// Prepares for sending the current request, perhaps again.
    func reset() {
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

    /// Enters a stage of waiting, with the deadline that it has.
    func enter(_ stage: Deadlines.Stage) {
        deadlines?.enter(stage, at: context.now)
        if let next = deadlines?.next.at { context.nextExpiry = min(context.nextExpiry, next) }
    }
}

/// What the loop shares with its transfers.
final class LoopContext {
    let sockets: SocketTable

    /// The time when the loop last looked.
    var now = MonotonicClock.now

    /// No deadline is earlier than this.
    var nextExpiry = Double.infinity

    /// Origins that have just turned out to take more requests.
    var widened: [OriginQueue<CurlTransfer>] = []

    init(_ sockets: SocketTable) { self.sockets = sockets }
}
