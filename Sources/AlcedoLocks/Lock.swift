import Glibc
public import Synchronization

/// A `Mutex` whose ownership changes are visible to the thread sanitizer, and whose owner may run before others wait for it.
///
/// A contended `Mutex` changes owners inside the standard library, which the sanitizer does not instrument on Linux; it then
/// reports the next access as a race. Here the new owner also acquires an atomic flag that the old one released, and which is
/// compiled into the caller. This costs 0.5 ns and one byte.
///
/// Public only because the compiler does not inline `package` types into other modules, which would cost four times the lock.
/// No product has this target.
public struct Lock<Value: ~Copyable>: ~Copyable, Sendable {
    // First, so that it shares a cache line with the mutex: two threads that compete for a lock take half as long.
    @usableFromInline let isHeld = Atomic(false)
    @usableFromInline let mutex: Mutex<Value>

    /// Guards `value`, which nothing else may refer to.
    @inlinable public init(_ value: consuming sending Value) {
        mutex = Mutex(value)
    }

    /// Runs `body` with exclusive access to the value; blocks the thread until then.
    ///
    /// Not recursive. `body` should be straight-line code.
    ///
    /// - Throws: What `body` throws.
    @inlinable public borrowing func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        let hasWaited = isHeld.load(ordering: .relaxed)
        if hasWaited { yieldWhile(isHeld) }
        #if compiler(>=6.3)
            return try mutex.withLock { (value: inout sending Value) throws(Failure) -> sending Result in
                _ = isHeld.load(ordering: .acquiring)
                isHeld.store(true, ordering: .relaxed)
                defer { isHeld.store(false, ordering: .releasing) }
                #if LOCK_TIMES
                    let (start, place) = (
                        LockTimes.now, withUnsafePointer(to: &value) { UInt(bitPattern: $0) }
                    )
                    // Safe because a type is a pointer that is never freed.
                    let type = unsafeBitCast(Value.self, to: UInt.self)
                    defer { LockTimes.add(place: place, type: type, since: start, hasWaited: hasWaited) }
                #endif
                return try body(&value)
            }
        #else
            // Swift 6.2 rejects each way to pass `value` on; built with it, the sanitizer may report false races.
            return try mutex.withLock(body)
        #endif
    }
}

/// Lets other threads run, a few times, while a lock is held.
///
/// Once a thread waits for a `Mutex`, the kernel hands it over, even to a thread that does not run, for which all others wait
/// then. With more threads than processors, a lock that was contended once would stay so, at a switch of threads each
/// time. Its owner was probably preempted, and the lock is free when it has run.
@usableFromInline func yieldWhile(_ isHeld: borrowing Atomic<Bool>) {
    for _ in 0..<4 where isHeld.load(ordering: .relaxed) { sched_yield() }
}
