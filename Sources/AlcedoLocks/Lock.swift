public import Synchronization

/// A value that one thread at a time may touch: a `Mutex` whose hand-over the thread sanitizer sees.
///
/// A contended `Mutex` changes hands inside the standard library, which the sanitizer does not watch on Linux. It
/// then reports the next access to the value as a race. Here the new owner also acquires what the old one
/// released in an atomic flag, which is compiled into the caller and so is watched. Costs half a nanosecond and a
/// byte more than a `Mutex`.
///
/// Public only because the compiler inlines nothing of a `package` type into other modules, which would cost four
/// times the whole lock. No product has this target.
public struct Lock<Value: ~Copyable>: ~Copyable, Sendable {
    @usableFromInline let mutex: Mutex<Value>
    @usableFromInline let handedOver = Atomic(false)

    /// Guards `value`, which nothing else may refer to.
    @inlinable public init(_ value: consuming sending Value) {
        mutex = Mutex(value)
    }

    /// Runs `body` with the value, once no other thread does; blocks the thread until then.
    ///
    /// Not recursive. `body` should be straight-line code.
    ///
    /// - Throws: What `body` throws.
    @inlinable public borrowing func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        try mutex.withLock { (value: inout sending Value) throws(Failure) -> sending Result in
            _ = handedOver.load(ordering: .acquiring)
            defer { handedOver.store(true, ordering: .releasing) }
            return try body(&value)
        }
    }
}
