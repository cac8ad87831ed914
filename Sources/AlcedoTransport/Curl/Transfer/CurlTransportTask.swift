import Foundation
import Synchronization

/// The caller's handle of a libcurl transfer; used on any thread, posts messages to the loop.
final class CurlTransportTask: TransportTask, PartialBody {
    let id: UInt64
    let request: TransportRequest
    let posted: Double
    let body = SharedBody()
    private let inbox: Inbox
    /// Also read by callbacks of libcurl, which may run before the loop gets the message.
    private let cancelled = Atomic(false)
    private let priorityBits: Atomic<UInt32>

    private static let nextID = Atomic<UInt64>(0)

    init(_ request: TransportRequest, inbox: Inbox) {
        id = Self.nextID.add(1, ordering: .relaxed).newValue
        self.request = request
        self.inbox = inbox
        posted = MonotonicClock.now
        priorityBits = Atomic(request.priority.bitPattern)
    }

    var isCancelled: Bool { cancelled.load(ordering: .acquiring) }

    func cancel() {
        guard !cancelled.exchange(true, ordering: .acquiringAndReleasing) else { return }
        _ = inbox.post(.cancel(id))
    }

    var priority: Float {
        get { Float(bitPattern: priorityBits.load(ordering: .relaxed)) }
        set {
            priorityBits.store(newValue.bitPattern, ordering: .relaxed)
            _ = inbox.post(.reorder(id))
        }
    }

    var bodySoFar: Data? { body.soFar }

    /// Has the loop apply a decision that it waits for.
    func postDecision() { _ = inbox.post(.decided(id)) }
}
