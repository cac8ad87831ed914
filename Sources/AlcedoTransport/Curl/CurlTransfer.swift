import CCurl
import Foundation

/// One transfer as the loop sees it; never leaves the loop's thread.
///
/// The file's first part says what it is, `CurlTransfer+Receiving.swift` what happens when bytes arrive, and
/// `CurlTransfer+Ending.swift` what it comes to.
final class CurlTransfer: Ranked {
    /// Where the current request stands.
    enum State {
        /// The final response's headers are not here yet.
        case awaitingHeaders

        /// The handler considers whether it wants the body.
        case offered(Question<Bool>)

        /// The handler considers where to go.
        case redirecting(Question<TransportRequest?>, TransportResponse)

        /// The body comes in.
        case receivingBody

        /// A redirect's body is read for the connection's sake, so many bytes so far; then comes the next request.
        case leaving(for: TransportRequest, discarded: Int)
    }

    let task: CurlTask
    let handler: any TransportHandler
    let context: LoopContext

    /// The current request, and what came of it.
    private(set) var request: TransportRequest
    private(set) var url: WebURL
    private(set) var origin: OriginQueue<CurlTransfer>
    var state = State.awaitingHeaders
    var headers = HeaderBlock()
    var response: TransportResponse?
    var body = BodyBuffer()

    /// What the callbacks found wrong; they can tell libcurl only that something is.
    var failure: TransportError?

    /// Whether libcurl holds bytes back until it is told to go on.
    var isPaused = false

    /// Libcurl's verdict, if it came before the handler's decision.
    var verdict: CURLcode?

    /// Set while the transfer is with libcurl.
    var easy: EasyHandle?
    var activeIndex = 0

    /// Set when the first request leaves the queue.
    var deadlines: Deadlines?
    var startDate = Date(timeIntervalSinceReferenceDate: 0)
    private(set) var redirectCount = 0

    var heapIndex: Int?
    var rank: Rank

    init(
        _ task: CurlTask, handler: any TransportHandler, url: WebURL, origin: OriginQueue<CurlTransfer>,
        context: LoopContext
    ) {
        self.task = task
        self.handler = handler
        self.url = url
        self.origin = origin
        self.context = context
        request = task.request
        rank = Rank(priority: task.priority, sequence: task.id)
    }

    /// Starts over with the request that a redirect leads to.
    func follow(_ next: TransportRequest, at url: WebURL, origin: OriginQueue<CurlTransfer>) {
        request = next
        self.url = url
        self.origin = origin
        redirectCount += 1
        state = .awaitingHeaders
        headers = HeaderBlock()
        response = nil
        failure = nil
        verdict = nil
        isPaused = false
    }

    /// Enters a stage of waiting, with the deadline that it has.
    func enter(_ stage: Deadlines.Stage) {
        deadlines?.enter(stage, at: context.now)
        if let next = deadlines?.next.at { context.nextExpiry = min(context.nextExpiry, next) }
    }
}

/// What the loop shares with its transfers.
final class LoopContext {
    /// The time when the loop last looked.
    var now = MonotonicClock.now

    /// No deadline is earlier than this.
    var nextExpiry = Double.infinity

    /// Origins that have just turned out to take more requests.
    var widened: [OriginQueue<CurlTransfer>] = []
}
