import AlcedoLocks

/// The requests and statistics of a server.
///
/// A request is counted before its reply. Bytes and finished replies are counted after the kernel has accepted them, so a
/// client may receive them earlier: wait for them.
package struct Traffic: Sendable {
    /// Requests in the order of arrival.
    package internal(set) var requests: [ReceivedRequest] = []

    /// The number of requests of each path, without queries.
    package internal(set) var requestsByPath: [String: Int] = [:]

    /// Requests whose reply is not finished.
    package internal(set) var inProgress = 0

    package internal(set) var mostInProgress = 0

    /// Replies that were sent completely.
    package internal(set) var repliesFinished = 0

    /// Heads, bodies and framing, in bytes.
    package internal(set) var bytesSent = 0

    package internal(set) var connectionsAccepted = 0

    /// Connections that were closed by either side.
    package internal(set) var connectionsClosed = 0

    /// Connections that the client closed before its reply was finished, as a cancelled load does.
    package internal(set) var repliesAbandoned = 0

    var hasStopped = false

    /// The number of requests of `path`, or of all paths.
    package func requestCount(path: String? = nil) -> Int {
        if let path { requestsByPath[path, default: 0] } else { requests.count }
    }

    /// See `Array.unshared`.
    var copy: Traffic {
        var copy = self
        copy.requests = requests.unshared
        copy.requestsByPath = requestsByPath.unshared
        return copy
    }

    mutating func start(_ request: ReceivedRequest) {
        requests.append(request)
        requestsByPath[request.path, default: 0] += 1
        inProgress += 1
        mostInProgress = max(mostInProgress, inProgress)
    }

    mutating func finish(bytes: Int) {
        bytesSent += bytes
        inProgress -= 1
        repliesFinished += 1
    }

    /// Resets the counters, but not the state of open connections.
    mutating func reset() {
        let open = connectionsAccepted - connectionsClosed
        let (current, stopped) = (inProgress, hasStopped)
        self = Traffic()
        (connectionsAccepted, inProgress, mostInProgress, hasStopped) = (open, current, current, stopped)
    }
}
