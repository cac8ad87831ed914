import AlcedoLocks
import AlcedoTransport
import Dispatch
import Foundation

// What waits for a queue or a delegate of the program's is counted apart, so that it holds back its own loads alone.

extension ImageDownloader {
    /// The limits that the body for a caller passes, apart from the transport's own.
    func consumers(of options: KingfisherParsedOptionsInfo) -> [Backpressure] {
        let hasDelegate = settings.withLock { $0.delegate.value != nil || $0.sessionDelegate.isCustom }
        let queue = options.processingQueue.flatMap { Backpressure.of($0, limit: delegateBackpressure.limit) }
        return (hasDelegate ? [delegateBackpressure] : []) + (queue.map { [$0] } ?? [])
    }

    /// Counts bytes that wait to be made into an image, where the options say.
    func reserve(_ count: Int, for options: KingfisherParsedOptionsInfo) -> Backpressure.Reservation? {
        let queue = options.processingQueue.flatMap { Backpressure.of($0, limit: delegateBackpressure.limit) }
        return (queue ?? backpressure)?.reserve(count)
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

extension Backpressure {
    private struct Weak: Sendable { weak var value: Backpressure? }

    private static let ofQueues = Lock<[ObjectIdentifier: Weak]>([:])

    /// What waits for a queue, wherever that is used; nil if it is no queue.
    static func of(_ queue: CallbackQueue, limit: Int) -> Backpressure? {
        guard let owner = queue.queue else { return nil }
        let new = Backpressure(limit: limit, name: queue.name, owner: owner)
        return ofQueues.withLock { known in
            // Its owner lives as long as a backpressure does, so that no other queue can have its address.
            if let backpressure = known[ObjectIdentifier(owner)]?.value { return backpressure }
            if known.count >= 64 { known = known.filter { $0.value.value != nil } }
            known[ObjectIdentifier(owner)] = Weak(value: new)
            return new
        }
    }

    /// What waits for a downloader's delegate.
    static func ofDelegate(limit: Int?) -> Backpressure {
        Backpressure(limit: limit ?? 32 << 20, name: "the downloader's delegate")
    }
}
