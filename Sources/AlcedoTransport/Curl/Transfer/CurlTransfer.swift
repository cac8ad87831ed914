import CCurl
import Foundation

/// One transfer as the loop sees it; never leaves the loop's thread.
///
/// This file says what it is, `CurlTransfer+Receiving.swift` what happens when bytes arrive,
/// `CurlTransfer+Asking.swift` what the handler is asked, `CurlTransfer+Ending.swift` what it comes to.
final class CurlTransfer: Ranked {
    /// Where the current request stands.
    enum State {
        /// The final response's headers are not here yet.
        case awaitingHeaders

        /// The handler considers whether it trusts the server; nil while another transfer's handler does.
        case unproven(ServerTrust, Question<TrustAnswer>?)

        /// The handler considers whether it wants the body.
        case offered(Question<Bool>)

        /// The handler considers where to go.
        case redirecting(Question<TransportRequest?>, TransportResponse)

        /// The handler considers who it is.
        case challenged(Question<ChallengeAnswer>, HTTPChallenge)

        /// The body comes in.
        case receivingBody

        /// A body is read for the connection's sake, so many bytes so far; then comes the next request.
        case leaving(for: Next, discarded: Int)
    }

    /// The request after a response that is not final.
    enum Next {
        case redirect(TransportRequest)

        /// The same one, with a credential.
        case again
    }

    let task: CurlTask
    let handler: any TransportHandler
    let context: LoopContext

    /// The current request, and what came of it.
    var request: TransportRequest
    private(set) var url: WebURL
    private(set) var origin: OriginQueue<CurlTransfer>
    var state = State.awaitingHeaders
    var headers = HeaderBlock()
    var response: TransportResponse?
    var body: SharedBody { task.body }

    /// What the callbacks found wrong; they can tell libcurl only that something is.
    var failure: TransportError?

    /// An address that the host has and that must not be connected to.
    var refusedAddress: String?

    /// Whether libcurl holds bytes back until it is told to go on.
    var isPaused = false

    /// Whether a connection broke, and the request was sent again over a new one; by libcurl, perhaps.
    var hasStartedOver = false {
        didSet { if hasStartedOver { isOrderly = false } }
    }

    /// Whether the next transfer may use the easy handle as it is, without a reset.
    var isOrderly = true

    /// Whether a connection was about to be used again that has ended, or brought bytes that nothing asked for.
    var isStale = false

    /// Why there is no descriptor for a connection, if that is so: an `errno`.
    var shortage: Int32?

    /// Libcurl's verdict, if it came before the handler's decision.
    var verdict: CURLcode?

    /// Who asks, to the server and to the proxy.
    var authentication = Authentication()
    var proxyAuthentication = Authentication()

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
    var redirectCount = 0

    /// When the current request left the queue, on the loop's clock.
    var requestStart = 0.0

    /// Set when the current request was sent over TLS.
    var tlsVersion: String?
    var speaksHTTP2 = false
    var isSent = false
    var isNoted = false
    var records: [RequestMetrics] = []
    var collected: TransportMetrics?

    var heapIndex: Int?
    var rank: Rank

    /// Who has begun goes on, whoever waits for its body.
    var obstacle: Backlog? { deadlines == nil ? task.request.consumers?.obstacle : nil }

    var hasSeveralPaths: Bool { task.request.consumers?.hasSeveralPaths ?? false }

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
        if case .server(let proxy) = request.proxy, let credential = proxy.credential {
            proxyAuthentication.send(credential, by: nil)
        }
    }

    /// Starts over with the request that a redirect leads to.
    func follow(_ next: TransportRequest, at url: WebURL, origin: OriginQueue<CurlTransfer>) {
        if url.origin == self.url.origin, next.credential == request.credential {
            authentication.moveOn()
        } else {
            authentication = Authentication()
        }
        if next.proxy != request.proxy || (next.proxy == .environment && url.scheme != self.url.scheme) {
            // Another proxy, or perhaps one.
            proxyAuthentication = Authentication()
            if case .server(let proxy) = next.proxy, let credential = proxy.credential {
                proxyAuthentication.send(credential, by: nil)
            }
        }
        request = next
        self.url = url
        self.origin = origin
        redirectCount += 1
        tunnelHeaders = nil
        startOver()
    }

    /// Forgets what the last request came to.
    func startOver() {
        state = .awaitingHeaders
        headers = HeaderBlock()
        response = nil
        failure = nil
        refusedAddress = nil
        isStale = false
        shortage = nil
        verdict = nil
        isPaused = false
        check = nil
        isSent = false
        isNoted = false
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
