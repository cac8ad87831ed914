import AlcedoLocks
import AlcedoTransport
import Dispatch
import Foundation

// What waits for a queue or a delegate of the program's is counted apart, so that it holds back its own loads alone.

extension ImageDownloader {
    /// The backlogs that the body for a caller has to pass, apart from the transport's own.
    func consumers(of options: KingfisherParsedOptionsInfo) -> [Backlog] {
        let hasDelegate = settings.withLock { $0.delegate.value != nil || $0.sessionDelegate.isCustom }
        let queue = options.processingQueue.flatMap { Backlog.of($0, limit: delegateBacklog.limit) }
        return (hasDelegate ? [delegateBacklog] : []) + (queue.map { [$0] } ?? [])
    }

    /// Counts bytes that wait to be made into an image, where the options say.
    func hold(_ count: Int, for options: KingfisherParsedOptionsInfo) -> Backlog.Held? {
        let queue = options.processingQueue.flatMap { Backlog.of($0, limit: delegateBacklog.limit) }
        return (queue ?? backlog)?.hold(count)
    }
}

extension CallbackQueue {
    /// The program's queue behind it; nil if it is none.
    var queue: (any AnyObject & Sendable)? {
        switch self {
        case .mainAsync, .mainCurrentOrAsync: DispatchQueue.main
        case .untouch: nil
        case .dispatch(let queue): queue
        case .operationQueue(let queue): queue
        }
    }

    fileprivate var name: String {
        switch self {
        case .mainAsync, .mainCurrentOrAsync: "the main queue"
        case .untouch: "no queue"
        case .dispatch(let queue): "the queue “\(queue.label)”"
        case .operationQueue(let queue as OperationQueue): "the queue “\(queue.name ?? "OperationQueue")”"
        case .operationQueue(let queue): "the queue “\(type(of: queue))”"
        }
    }
}

extension Backlog {
    private struct Weak: Sendable { weak var value: Backlog? }

    private static let ofQueues = Lock<[ObjectIdentifier: Weak]>([:])

    /// What waits for a queue, wherever that is used; nil if it is no queue.
    static func of(_ queue: CallbackQueue, limit: Int) -> Backlog? {
        guard let owner = queue.queue else { return nil }
        let new = Backlog(limit: limit, name: queue.name, owner: owner)
        return ofQueues.withLock { backlogs in
            // Its owner lives as long as a backlog does, so that no other queue can have its address.
            if let backlog = backlogs[ObjectIdentifier(owner)]?.value { return backlog }
            if backlogs.count >= 64 { backlogs = backlogs.filter { $0.value.value != nil } }
            backlogs[ObjectIdentifier(owner)] = Weak(value: new)
            return new
        }
    }

    /// What waits for a downloader's delegate.
    static func ofDelegate(limit: Int?) -> Backlog {
        Backlog(limit: limit ?? 32 << 20, name: "the downloader's delegate")
    }
}
