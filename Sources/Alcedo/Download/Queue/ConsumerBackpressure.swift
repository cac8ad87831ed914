import AlcedoLocks
import AlcedoTransport
import Dispatch
import Foundation

// Each queue, delegate and kind of image code of the program's has its own backpressure, so that it blocks its own loads only.

extension ImageDownloader {
    /// The limits that the body for a caller passes, apart from the transport's own.
    func consumers(of caller: DownloadCaller) -> [Backpressure] {
        let hasDelegate = settings.withLock { $0.hooks.delegate != nil || $0.sessionDelegate.isCustom }
        let queue = caller.options.processingQueue.flatMap {
            Backpressure.of($0, limit: delegateBackpressure.limit)
        }
        return (hasDelegate ? [delegateBackpressure] : []) + (queue.map { [$0] } ?? [])
            + (caller.options.callsImageCode || caller.context.modifiesImage ? [imageBackpressure] : [])
    }

    /// Counts bytes to be decoded, on the options' queue or Alcedo's threads.
    func reserve(_ count: Int, for options: KingfisherParsedOptionsInfo) -> Backpressure.Reservation? {
        let queue = options.processingQueue.flatMap { Backpressure.of($0, limit: delegateBackpressure.limit) }
        return (queue ?? backpressure)?.reserve(count)
    }
}

extension CallbackQueue {
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

    /// The backpressure of a queue, shared by all its users; nil for no queue.
    static func of(_ queue: CallbackQueue, limit: Int) -> Backpressure? {
        guard let owner = queue.queue else { return nil }
        let new = Backpressure(limit: limit, name: queue.name, owner: owner)
        return ofQueues.withLock { known in
            // A backpressure keeps its owner alive, so that no other queue can have its address.
            if let backpressure = known[ObjectIdentifier(owner)]?.value { return backpressure }
            if known.count >= 64 { known = known.filter { $0.value.value != nil } }
            known[ObjectIdentifier(owner)] = Weak(value: new)
            return new
        }
    }

    /// The backpressure of code of the program's that is no queue.
    static func ofProgram(limit: Int?, _ name: String) -> Backpressure {
        Backpressure(limit: limit ?? 32 << 20, name: name)
    }
}
