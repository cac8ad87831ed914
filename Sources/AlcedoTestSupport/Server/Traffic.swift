/// What a server has seen.
///
/// A request is counted before anything is answered. Bytes and finished replies are counted after the kernel took
/// them, so a client may be a moment ahead: wait for them.
package struct Traffic: Sendable {
    /// In the order of arrival.
    package internal(set) var requests: [ReceivedRequest] = []

    /// How many requests came for each path, queries apart.
    package internal(set) var requestsByPath: [String: Int] = [:]

    /// Requests whose reply is not finished.
    package internal(set) var inProgress = 0

    /// The most requests that were in progress at one time.
    package internal(set) var mostInProgress = 0

    /// Replies that were sent to their end.
    package internal(set) var repliesFinished = 0

    /// Heads, bodies and framing, in bytes.
    package internal(set) var bytesSent = 0

    /// Connections that were accepted.
    package internal(set) var connectionsAccepted = 0

    /// Connections that came to an end, by whichever side.
    package internal(set) var connectionsClosed = 0

    /// Connections that the client ended while its reply was not finished: what a cancelled load looks like.
    package internal(set) var repliesAbandoned = 0

    var hasStopped = false

    /// How many requests came for `path`, or altogether.
    package func requestCount(path: String? = nil) -> Int {
        if let path { requestsByPath[path, default: 0] } else { requests.count }
    }

    /// The same in memory of its own: see decision 0009.
    var copy: Traffic {
        var copy = self
        copy.requests = requests.map { $0 }
        copy.requestsByPath = requestsByPath.mapValues { $0 }
        return copy
    }

    mutating func begin(_ request: ReceivedRequest) {
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

    /// Forgets what was counted, but not the state that goes on.
    mutating func reset() {
        let open = connectionsAccepted - connectionsClosed
        let (current, stopped) = (inProgress, hasStopped)
        self = Traffic()
        (connectionsAccepted, inProgress, mostInProgress, hasStopped) = (open, current, current, stopped)
    }
}
