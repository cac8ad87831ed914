import Foundation

/// A synchronous and an asynchronous block, each with a weak reference to its target.
///
/// Setting one block leaves the other unchanged. After its target was released, a block returns nil. Blocks run on the
/// calling thread.
///
/// Safe because its state is behind a lock.
public class Delegate<Input, Output>: @unchecked Sendable {
    private struct Blocks {
        var synchronous: ((Input) -> Output?)?
        var asynchronous: ((Input) async -> Output?)?
    }

    // Not a `Lock`, which returns only what may be sent between threads: blocks need not be `Sendable`.
    private let lock = NSLock()
    private var blocks = Blocks()

    public init() {}

    /// Sets the block of `call(_:)`, or removes it.
    public func delegate<T: AnyObject>(on target: T, block: ((T, Input) -> Output)?) {
        let new = block.map { block in
            { [weak target] (input: Input) -> Output? in target.map { block($0, input) } }
        }
        change { $0.synchronous = new }
    }

    /// Sets the block of `callAsync(_:)`, or removes it.
    public func delegate<T: AnyObject>(on target: T, block: ((T, Input) async -> Output)?) {
        let new = block.map { block in
            { [weak target] (input: Input) async -> Output? in
                guard let target else { return nil }
                return await block(target, input)
            }
        }
        change { $0.asynchronous = new }
    }

    /// Calls the synchronous block; nil if there is none or its target was released.
    public func call(_ input: Input) -> Output? { current.synchronous?(input) }

    public func callAsFunction(_ input: Input) -> Output? { call(input) }

    /// Calls the asynchronous block; nil if there is none or its target was released.
    public func callAsync(_ input: Input) async -> Output? { await current.asynchronous?(input) }

    public var isSet: Bool {
        let blocks = current
        return blocks.synchronous != nil || blocks.asynchronous != nil
    }

    /// Sets the block of `call(_:)`, which needs no target, or removes it.
    func set(_ block: ((Input) -> Output)?) { change { $0.synchronous = block } }

    func copy() -> Delegate {
        let (copy, blocks) = (Delegate(), current)
        copy.change { $0 = blocks }
        return copy
    }

    private var current: Blocks { lock.withLock { blocks } }

    private func change(_ body: (inout Blocks) -> Void) {
        let old = lock.withLock {
            defer { body(&blocks) }
            return blocks
        }
        // Released outside the lock: a block's captures may run the program's code in a `deinit`.
        withExtendedLifetime(old) {}
    }
}

// MARK: - Without input

extension Delegate where Input == Void {
    public func call() -> Output? { call(()) }
    public func callAsFunction() -> Output? { call() }
}

// MARK: - With an optional output: one level of optionality

extension Delegate where Output: OptionalProtocol {
    /// Calls the synchronous block; nil if it returns nil, there is none or its target was released.
    public func call(_ input: Input) -> Output {
        let output: Output? = call(input)
        return output ?? ._createNil
    }

    public func callAsFunction(_ input: Input) -> Output { call(input) }
}

extension Delegate where Input == Void, Output: OptionalProtocol {
    public func call() -> Output { call(()) }
    public func callAsFunction() -> Output { call(()) }
}

/// `Optional`, for extensions that need a nil output of any type.
public protocol OptionalProtocol {
    static var _createNil: Self { get }
}

extension Optional: OptionalProtocol {
    public static var _createNil: Wrapped? { nil }
}
