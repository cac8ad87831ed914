import AlcedoLocks

/// A callback that is called at most once, and released after the call or when it is dropped.
final class OnceCallback<Value>: Sendable {
    private let callback: Lock<(@Sendable (Value) -> Void)?>

    init(_ callback: @escaping @Sendable (Value) -> Void) { self.callback = Lock(callback) }

    /// Calls it, unless it was called or dropped.
    func call(_ value: Value) { take()?(value) }

    /// Drops it; false if it was called or dropped before.
    @discardableResult
    func drop() -> Bool { take() != nil }

    private func take() -> (@Sendable (Value) -> Void)? { callback.withLock { $0.take() } }
}
