public import Dispatch
public import Foundation

/// The queue of work other than callbacks.
public typealias ExecutionQueue = CallbackQueue

/// The queue of a callback.
public enum CallbackQueue: Sendable {
    /// The main queue, after the current call has returned.
    case mainAsync

    /// Synchronously on the main thread, else on the main queue.
    case mainCurrentOrAsync

    /// Synchronously, on the thread that has the result.
    case untouch

    case dispatch(DispatchQueue)

    /// An operation queue, or a type like it.
    case operationQueue(any CallbackOperationQueue)

    public func execute(_ block: @Sendable @escaping () -> Void) {
        switch self {
        case .mainAsync: DispatchQueue.main.async(execute: block)
        case .mainCurrentOrAsync where isOnMain: block()
        case .mainCurrentOrAsync: DispatchQueue.main.async(execute: block)
        case .untouch: block()
        case .dispatch(let queue): queue.async(execute: block)
        case .operationQueue(let queue): queue.addOperation(block)
        }
    }
}

extension CallbackQueue {
    var isUntouched: Bool { if case .untouch = self { true } else { false } }

    /// Runs `block` on the queue; with `.untouch` on another thread than this one, which `block` must not block.
    func executeElsewhere(_ block: @Sendable @escaping () -> Void) {
        if isUntouched { DispatchQueue.global().async(execute: block) } else { execute(block) }
    }
}

/// Whether this is the main thread, or another thread that runs the main queue.
///
/// In tests and in programs with an asynchronous `main`, the main thread sleeps and another one runs the main queue.
package var isOnMain: Bool {
    Thread.isMainThread || DispatchQueue.getSpecific(key: mainQueueMark) != nil
}

private let mainQueueMark = {
    let mark = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: mark, value: true)
    return mark
}()

/// A queue of the program's for ``CallbackQueue/operationQueue(_:)``; Foundation's `OperationQueue` is one.
public protocol CallbackOperationQueue: AnyObject, Sendable {
    /// The dispatch queue that it uses, if any.
    var underlyingQueue: DispatchQueue? { get }

    func addOperation(_ block: @Sendable @escaping () -> Void)
}

extension OperationQueue: CallbackOperationQueue {}
