import AlcedoLocks
import CCurl
import CSSL
import Foundation
import Glibc

/// Drives one ``TransferMachine`` with libcurl; used on the loop's thread only.
///
/// The extensions below have what libcurl calls and how a request ends; `CurlTransfer+Decisions.swift` has what the handler
/// decides, `+Errors` the reasons, `+Metrics` the measurements.
final class CurlTransfer: Ranked {
    let task: CurlTransportTask
    let handler: any TransportHandler
    let context: LoopContext

    var machine: TransferMachine
    private(set) var origin: OriginQueue<CurlTransfer>

    var request: TransportRequest { machine.request }
    var url: WebURL { machine.url }

    /// The current response's headers, and the body.
    var headers = HeaderBlock()
    var body: SharedBody { task.body }

    /// The handler's decision that the machine waits for.
    var decision: Decision<TransferMachine.Event>?

    /// The handler's decision about the certificate; nil while another transfer's handler decides.
    var trustDecision: Decision<TrustDecision>?

    /// An address of the host that the request's policy forbids.
    var rejectedAddress: String?

    /// The body's bytes that count in the origin, as announced, and in the loop, as received.
    private var counted = (announced: 0, received: 0)

    var isPaused = false

    /// Whether the transfer has failed, after which the easy handle needs a reset.
    var hasFailed = false

    /// The `errno` of a missing descriptor; nil if there was one.
    var shortage: Int32?

    /// How libcurl ended the request, if that was before the handler's decision.
    var verdict: CURLcode?

    /// The headers of a proxy's rejection of a tunnel; nil unless libcurl's debug output is on.
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
        // A false announcement must not overflow the sum.
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
        rejectedAddress = nil
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

extension CurlTransfer {
    /// libcurl's prerequest callback: the connection is ready; false to abort.
    func connected(_ ends: SocketTable.Ends) -> Bool {
        context.cookieHold.end()
        // The connection may have been opened for another request, with another policy.
        if request.addressPolicy.isRestricted,
            IPAddress(ends.remoteAddress)?.isAllowed(by: request.addressPolicy) != true
        {
            return perform(machine.handle(.failed(.addressRejected(ends.remoteAddress, url: url.text))))
        }
        let session = url.isSecure ? easy?.tlsSession : nil
        speaksHTTP2 = session?.speaksHTTP2 == true
        // HTTP/1.1 would take pending input for the response to this request.
        if !speaksHTTP2, let socket = context.sockets.reused(ends),
            session?.hasInput == true || SocketTable.hasInput(socket)
        {
            return perform(machine.handle(.foundStaleConnection))
        }
        // If a reused connection breaks before its first byte, libcurl sends the request again, over a new connection
        // and once: a new one that breaks is an error.
        easy?.set(CURLOPT_FRESH_CONNECT, 1)
        tlsVersion = session.flatMap { SSL_get_version($0) }.map { String(cString: $0) }
        enter(.awaitingFirstByte)
        guard perform(machine.handle(.sending(hasHeaders: !headers.isEmpty))) else { return false }
        if request.cookies != nil { context.cookieHold.start() }
        return true
    }

    /// libcurl's socket callback, for one of the host's addresses; libcurl tries the next one after a failure.
    func openSocket(to address: UnsafeMutablePointer<curl_sockaddr>) -> Int32 {
        guard withUnsafePointer(to: &address.pointee.addr, mayConnect) else { return alcedo_curl_socket_bad }
        let socket = context.sockets.open(
            family: address.pointee.family, type: address.pointee.socktype,
            protocol: address.pointee.protocol)
        if socket < 0, errno == EMFILE || errno == ENFILE { shortage = errno }
        return socket
    }

    private func mayConnect(to address: UnsafePointer<sockaddr>) -> Bool {
        guard request.addressPolicy.isRestricted else { return true }
        let address = IPAddress(address)
        guard address?.isAllowed(by: request.addressPolicy) != true else { return true }
        rejectedAddress = address?.text ?? "?"
        return false
    }

    /// libcurl's header callback, for the status line, header fields and trailers; false to abort.
    func receive(headerLine line: UnsafeRawBufferPointer) -> Bool {
        context.cookieHold.end()
        if deadlines?.stage == .receiving { deadlines?.touch(at: context.now) } else { enter(.receiving) }
        switch headers.append(line: line) {
        case .field:
            return true
        case .beyondLimit:
            let reason =
                "it has more than \(HeaderBlock.byteLimit) bytes or \(HeaderBlock.lineLimit) lines of headers"
            return perform(machine.handle(.failed(.malformedResponse(reason: reason, url: url.text))))
        case .end:
            guard case .awaitingHeaders = machine.state else { return true }
            // libcurl may repeat the request with the credential; then neither body nor end follows.
            return machine.credentials.isFinal(status: headers.status) ? evaluateResponse() : true
        }
    }

    /// A line of a proxy's rejection of a tunnel.
    func receive(tunnelLine line: UnsafeRawBufferPointer) {
        if !machine.isSent, tunnelHeaders != nil { _ = tunnelHeaders?.append(line: line) }
    }

    /// libcurl's write callback, with a decoded part of the body.
    func receive(chunk: UnsafeRawBufferPointer) -> TransferMachine.ChunkAction {
        context.cookieHold.end()
        guard !task.isCancelled else { return .abort }
        if case .awaitingHeaders = machine.state, !evaluateResponse() { return .abort }
        let action = machine.handleChunk(chunk.count, after: body.count)
        switch action {
        case .deliver:
            deadlines?.touch(at: context.now)
            return deliver(chunk) ? .deliver : .abort
        case .discard: deadlines?.touch(at: context.now)
        case .pause: isPaused = true
        case .abort: break
        }
        return action
    }

    private func deliver(_ chunk: UnsafeRawBufferPointer) -> Bool {
        let expected = machine.response?.expectedBytes
        guard body.append(chunk, expected: expected) else {
            return perform(machine.handle(.failed(.noMemory(url))))
        }
        let received = body.count
        countBody(expected: expected, received: received)
        handler.transfer(didReceive: chunk.bytes, received: Int64(received), expected: expected)
        return true
    }
}

extension EasyHandle {
    /// The connection's TLS session; nil unless it is OpenSSL's.
    fileprivate var tlsSession: OpaquePointer? {
        guard CurlLibrary.usesOpenSSL else { return nil }
        var session: UnsafeMutablePointer<curl_tlssessioninfo>?
        withUnsafeMutableBytes(of: &session) { bytes in
            guard let address = bytes.baseAddress?.assumingMemoryBound(to: UnsafeMutableRawPointer?.self)
            else { return }
            _ = alcedo_curl_get_pointer(pointer, CURLINFO_TLS_SSL_PTR, address)
        }
        return session?.pointee.internals.map { OpaquePointer($0) }
    }
}

extension OpaquePointer {
    /// Whether OpenSSL has buffered bytes that libcurl has not read.
    fileprivate var hasInput: Bool { SSL_has_pending(self) == 1 }

    fileprivate var speaksHTTP2: Bool {
        var name: UnsafePointer<UInt8>?
        var count: UInt32 = 0
        SSL_get0_alpn_selected(self, &name, &count)
        return UnsafeBufferPointer(start: name, count: Int(count)).elementsEqual("h2".utf8)
    }
}

// How libcurl ended a request, and what follows.

extension CurlTransfer {
    /// libcurl has ended the request with `code`; the easy handle must be attached.
    func end(with code: CURLcode) -> TransferMachine.Conclusion {
        if case .awaitingHeaders = machine.state {
            if code == CURLE_OK {
                if headers.isComplete { _ = evaluateResponse() }
            } else if let trust = check?.found {
                return machine.end(.untrusted(trust))
            } else if isTunnelRejected {
                guard let block = tunnelHeaders else {
                    // Debug output costs time, so it is on only once it is needed.
                    tunnelHeaders = HeaderBlock()
                    return .sendAgain
                }
                _ = perform(machine.handle(.tunnelRejected(response(block))))
            }
        }
        if task.isCancelled { return .fail(.cancelled) }
        let conclusion = machine.end(ending(for: code))
        if case .wait = conclusion { verdict = code }
        return conclusion
    }

    /// The transfer's result; the easy handle must be attached.
    func result(_ response: TransportResponse) -> TransferResult {
        let metrics = collect()
        collected = metrics
        return TransferResult(response: response, body: body.take(), metrics: metrics)
    }

    /// Whether a proxy demands a credential before it opens a tunnel.
    private var isTunnelRejected: Bool {
        url.isSecure && headers.isEmpty && easy?.number(CURLINFO_HTTP_CONNECTCODE) == 407
    }

    /// A new HTTP/1.1 connection that breaks before the response, or before the announced length, counts as a failure:
    /// the next one would break too.
    private func ending(for code: CURLcode) -> TransferMachine.Ending {
        let isBroken =
            switch code {
            case CURLE_HTTP2, CURLE_HTTP2_STREAM: true
            case CURLE_ABORTED_BY_CALLBACK: machine.isStale
            case CURLE_PARTIAL_FILE, CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_GOT_NOTHING:
                speaksHTTP2 || headers.value(of: "Transfer-Encoding") != nil
            default: false
            }
        return code == CURLE_OK ? .complete : isBroken ? .connectionBroken : .failed
    }

    /// Whether the request failed for lack of descriptors; stores the `errno`.
    func lacksDescriptors(after code: CURLcode) -> Bool {
        switch code {
        // `openSocket` has stored it.
        case CURLE_COULDNT_CONNECT: break
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY, CURLE_SSL_CACERT_BADFILE,
            CURLE_OUT_OF_MEMORY, CURLE_FAILED_INIT:
            // Name lookups and reading certificates need descriptors too, and do not report the lack.
            shortage = machine.isSent ? nil : Descriptors.shortage
        default: shortage = nil
        }
        return shortage != nil && machine.failure == nil && !task.isCancelled
    }
}
