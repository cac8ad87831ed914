import AlcedoWaiting
import Glibc

/// Blocks until the other end's socket has all bytes that were sent, or the connection has ended.
///
/// A busy system may deliver them a while after the call that sends them, even on this machine.
func waitForDelivery(on descriptor: Int32) {
    var unacknowledged: Int32 = 0
    while ioctl(descriptor, UInt(TIOCOUTQ), &unacknowledged) == 0, unacknowledged > 0 {
        var state = pollfd(fd: descriptor, events: 0, revents: 0)
        guard poll(&state, 1, 1) == 0 else { return }
    }
}

/// One client's socket and the progress of its reply; used only on the server's thread.
final class Connection {
    let number: Int
    let descriptor: Int32

    /// Received bytes that are not parsed yet.
    var input: [UInt8] = []

    /// Whether the socket may have unread bytes.
    var mayRead = true

    var hasEnded = false

    /// Whether the reply waits for a gate or a timer.
    var isStalled = false

    /// The index among the polled connections.
    var place: Int

    var requests = 0
    private(set) var plan: ReplyPlan?
    private var endStep = 0
    private var step = 0
    private var offset = 0
    private var closesAfterwards = false
    private(set) var unreportedBytes = 0

    /// The gate that holds the reply.
    var heldBy: (gate: Gate, ticket: Int)?

    enum Progress {
        case finished(close: Bool)
        case waitsForSocket
        case stalled(Reply.Stall)
        case hangUp(Reply.HangUp)
    }

    init(number: Int, descriptor: Int32, place: Int) {
        self.place = place
        self.number = number
        self.descriptor = descriptor
    }

    func start(_ plan: ReplyPlan, for request: ReceivedRequest) {
        self.plan = plan
        endStep = request.method == "HEAD" ? plan.headSteps : plan.steps.count
        (step, offset) = (0, 0)
        closesAfterwards = request.wantsClose
    }

    /// Sends the reply until it is finished or has to wait.
    func advance() -> Progress {
        guard let plan else { return .finished(close: false) }
        while step < endStep {
            switch plan.steps[step] {
            case .send:
                guard let isSent = send(plan) else { return .hangUp(.end) }
                guard isSent else { return .waitsForSocket }
            case .stall(let stall):
                step += 1
                return .stalled(stall)
            case .hangUp(let how):
                self.plan = nil
                return .hangUp(how)
            case .delivery:
                step += 1
                waitForDelivery(on: descriptor)
            }
        }
        self.plan = nil
        return .finished(close: closesAfterwards)
    }

    /// Bytes sent since the last call.
    func takeUnreportedBytes() -> Int {
        defer { unreportedBytes = 0 }
        return unreportedBytes
    }

    /// Sends the next pieces with one call; `false` if the socket's buffer is full, `nil` if the connection is broken.
    private func send(_ plan: ReplyPlan) -> Bool? {
        let sent = withUnsafeTemporaryAllocation(of: iovec.self, capacity: 32) { vectors -> Int in
            var count = 0
            while count < vectors.count, step + count < endStep,
                case .send(let payload, let range) = plan.steps[step + count]
            {
                let start = range.lowerBound + (count == 0 ? offset : 0)
                vectors[count] = iovec(
                    iov_base: UnsafeMutableRawPointer(mutating: payload.base + start),
                    iov_len: range.upperBound - start
                )
                count += 1
            }
            var message = msghdr()
            message.msg_iov = vectors.baseAddress
            message.msg_iovlen = count
            return sendmsg(descriptor, &message, Int32(MSG_NOSIGNAL))
        }
        guard sent >= 0 else { return errno == EAGAIN || errno == EINTR ? false : nil }
        unreportedBytes += sent
        var left = sent
        while step < endStep, case .send(_, let range) = plan.steps[step] {
            let remaining = range.count - offset
            guard left >= remaining else {
                offset += left
                return true
            }
            left -= remaining
            step += 1
            offset = 0
        }
        return true
    }
}
