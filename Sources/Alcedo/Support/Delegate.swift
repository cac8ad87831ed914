import Foundation

/// Blocks with the objects that they are called on, which it does not keep alive.
///
/// It has at most one synchronous and one asynchronous block; setting one leaves the other as it is. Once its object is
/// gone, a block answers nil. Safe because its state is behind a lock; a block itself runs on whatever thread calls.
public class Delegate<Input, Output>: @unchecked Sendable {
    private struct Blocks {
        var synchronous: ((Input) -> Output?)?
        var asynchronous: ((Input) async -> Output?)?
    }

    private let lock = NSLock()
    private var blocks = Blocks()

    /// Makes a delegate without a block.
    public init() {}

    /// Sets what ``call(_:)`` calls on `target`; nil for nothing.
    public func delegate<T: AnyObject>(on target: T, block: ((T, Input) -> Output)?) {
        let new = block.map { block in
            { [weak target] (input: Input) -> Output? in target.map { block($0, input) } }
        }
        change { $0.synchronous = new }
    }

    /// Sets what ``callAsync(_:)`` calls on `target`; nil for nothing.
    public func delegate<T: AnyObject>(on target: T, block: ((T, Input) async -> Output)?) {
        let new = block.map { block in
            { [weak target] (input: Input) async -> Output? in
                guard let target else { return nil }
                return await block(target, input)
            }
        }
        change { $0.asynchronous = new }
    }

    /// Calls the synchronous block; nil if there is none, or its object is gone.
    public func call(_ input: Input) -> Output? { current.synchronous?(input) }

    /// Calls the synchronous block; nil if there is none, or its object is gone.
    public func callAsFunction(_ input: Input) -> Output? { call(input) }

    /// Calls the asynchronous block; nil if there is none, or its object is gone.
    public func callAsync(_ input: Input) async -> Output? { await current.asynchronous?(input) }

    /// Whether there is a block of either kind.
    public var isSet: Bool {
        let blocks = current
        return blocks.synchronous != nil || blocks.asynchronous != nil
    }

    private var current: Blocks { lock.withLock { blocks } }

    private func change(_ body: (inout Blocks) -> Void) {
        let old = lock.withLock {
            defer { body(&blocks) }
            return blocks
        }
        withExtendedLifetime(old) {}
    }
}

// MARK: - Delegates that are told nothing

extension Delegate where Input == Void {
    /// Calls the synchronous block; nil if there is none, or its object is gone.
    public func call() -> Output? { call(()) }

    /// Calls the synchronous block; nil if there is none, or its object is gone.
    public func callAsFunction() -> Output? { call() }
}

// MARK: - Delegates whose answer is optional: one level of it is enough

extension Delegate where Output: OptionalProtocol {
    /// Calls the synchronous block; nil if it says so, there is none, or its object is gone.
    public func call(_ input: Input) -> Output {
        let answer: Output? = call(input)
        return answer ?? ._createNil
    }

    /// Calls the synchronous block; nil if it says so, there is none, or its object is gone.
    public func callAsFunction(_ input: Input) -> Output { call(input) }
}

extension Delegate where Input == Void, Output: OptionalProtocol {
    /// Calls the synchronous block; nil if it says so, there is none, or its object is gone.
    public func call() -> Output { call(()) }

    /// Calls the synchronous block; nil if it says so, there is none, or its object is gone.
    public func callAsFunction() -> Output { call(()) }
}

/// An optional, whatever it wraps.
public protocol OptionalProtocol {
    /// Nil.
    static var _createNil: Self { get }
}

extension Optional: OptionalProtocol {
    /// Nil.
    public static var _createNil: Wrapped? { nil }
}
