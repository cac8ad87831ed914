import AlcedoLocks
package import Foundation

/// A transfer whose incomplete body can be read.
package protocol PartialBody: AnyObject, Sendable {
    /// A copy of the bytes so far; nil if unavailable.
    var bodySoFar: Data? { get }
}

/// A body that one thread collects and others can read.
final class SharedBody: Sendable {
    private struct State: ~Copyable {
        var buffer = BodyBuffer()
        /// The whole body, once it has been taken.
        var whole: Data?
    }

    private let state = Lock(State())

    var count: Int { state.withLock { $0.buffer.count } }

    /// A copy of the bytes so far, or the whole body.
    var soFar: Data { state.withLock { $0.whole ?? $0.buffer.copy() } }

    /// Adds a chunk; see ``BodyBuffer/append(_:expected:)``.
    func append(_ chunk: UnsafeRawBufferPointer, expected: Int64?) -> Bool {
        // An address is a number, which may go into the lock; the bytes are copied there.
        let (address, count) = (UInt(bitPattern: chunk.baseAddress), chunk.count)
        return state.withLock { state in
            let chunk = UnsafeRawBufferPointer(start: UnsafeRawPointer(bitPattern: address), count: count)
            return state.buffer.append(chunk, expected: expected)
        }
    }

    func take() -> Data {
        state.withLock { state in
            let whole = state.buffer.take()
            state.whole = whole
            return whole
        }
    }

    func reset() { state.withLock { $0.buffer = BodyBuffer() } }
}
