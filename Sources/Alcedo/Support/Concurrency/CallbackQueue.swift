public import Dispatch
public import Foundation

/// Where work other than a callback runs; the same choices as for callbacks.
public typealias ExecutionQueue = CallbackQueue

/// Where a callback runs.
public enum CallbackQueue: Sendable {
    /// On the main queue, always after the current call has returned.
    case mainAsync

    /// At once when already on the main thread, else on the main queue.
    case mainCurrentOrAsync

    /// At once, on whatever thread the result came about.
    case untouch

    /// On a dispatch queue.
    case dispatch(DispatchQueue)

    /// On an operation queue, or anything like it.
    case operationQueue(any CallbackOperationQueue)

    /// Runs `block` there.
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
    /// Whether a callback runs on the thread that has the result.
    var isUntouched: Bool { if case .untouch = self { true } else { false } }
}

/// Whether this is the main thread, or another thread that runs the main queue.
///
/// That is so in every program with an asynchronous `main`, and in tests: there the main thread itself sleeps.
private var isOnMain: Bool {
    Thread.isMainThread || DispatchQueue.getSpecific(key: mainQueueMark) != nil
}

private let mainQueueMark = {
    let mark = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: mark, value: true)
    return mark
}()

/// What ``CallbackQueue/operationQueue(_:)`` needs of a queue.
public protocol CallbackOperationQueue: AnyObject, Sendable {
    /// The dispatch queue beneath, if there is one.
    var underlyingQueue: DispatchQueue? { get }

    /// Enqueues `block`.
    func addOperation(_ block: @Sendable @escaping () -> Void)
}

extension OperationQueue: CallbackOperationQueue {}
