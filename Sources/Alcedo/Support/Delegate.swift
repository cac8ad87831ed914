import Foundation

/// A block with the object that it is called on, which it does not keep alive.
///
/// It has at most one block, synchronous or asynchronous; setting one drops the other. Once the object is gone it
/// answers nil. Safe because its state is behind a lock; the block itself runs on whatever thread calls.
public class Delegate<Input, Output>: @unchecked Sendable {
    private enum Block {
        case none
        case synchronous((Input) -> Output?)
        case asynchronous((Input) async -> Output?)
    }

    private let lock = NSLock()
    private var block = Block.none

    /// Makes a delegate without a block.
    public init() {}

    /// Sets what is called on `target`; nil for nothing.
    public func delegate<T: AnyObject>(on target: T, block: ((T, Input) -> Output)?) {
        set(
            block.map { block in
                .synchronous { [weak target] input in target.map { block($0, input) } }
            }
        )
    }

    /// Sets what is called on `target`, by ``callAsync(_:)`` only; nil for nothing.
    public func delegate<T: AnyObject>(on target: T, block: ((T, Input) async -> Output)?) {
        set(
            block.map { block in
                .asynchronous { [weak target] input in
                    guard let target else { return nil }
                    return await block(target, input)
                }
            }
        )
    }

    /// Calls the synchronous block; nil if there is none, or its object is gone.
    public func call(_ input: Input) -> Output? {
        guard case .synchronous(let block) = current else { return nil }
        return block(input)
    }

    /// Calls the synchronous block; nil if there is none, or its object is gone.
    public func callAsFunction(_ input: Input) -> Output? { call(input) }

    /// Calls the asynchronous block; nil if there is none, or its object is gone.
    public func callAsync(_ input: Input) async -> Output? {
        guard case .asynchronous(let block) = current else { return nil }
        return await block(input)
    }

    /// Whether there is a block.
    public var isSet: Bool {
        if case .none = current { false } else { true }
    }

    private var current: Block { lock.withLock { block } }

    private func set(_ new: Block?) {
        let old = lock.withLock {
            defer { block = new ?? .none }
            return block
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
