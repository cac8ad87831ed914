import AlcedoLocks

/// A callback that is called once at most; after that, or once it is dropped, it keeps nothing alive.
final class OnceCallback<Value>: Sendable {
    private let callback: Lock<(@Sendable (Value) -> Void)?>

    init(_ callback: @escaping @Sendable (Value) -> Void) { self.callback = Lock(callback) }

    /// Calls it, unless that has happened or it was dropped.
    func call(_ value: Value) { take()?(value) }

    /// Never calls it; false if it was called or dropped before.
    @discardableResult
    func drop() -> Bool { take() != nil }

    private func take() -> (@Sendable (Value) -> Void)? { callback.withLock { $0.take() } }
}
