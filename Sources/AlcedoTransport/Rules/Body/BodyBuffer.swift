import Foundation

/// Collects a body in one block of memory and hands it over without a copy.
///
/// Never holds more than ``slack`` bytes beyond what has arrived, whatever length was announced.
struct BodyBuffer: ~Copyable {
    /// The most memory to take on a server's word.
    static let slack = 1 << 20

    private var base: UnsafeMutableRawPointer?
    private var capacity = 0

    /// Bytes so far.
    private(set) var count = 0

    init() {}

    deinit { free(base) }

    /// Adds `chunk`; `expected` is the length that the whole body is said to have, if known.
    ///
    /// Returns false if there is no memory for it.
    mutating func append(_ chunk: UnsafeRawBufferPointer, expected: Int64?) -> Bool {
        guard let source = chunk.baseAddress, !chunk.isEmpty else { return true }
        guard let target = reserve(chunk.count, expected: expected) else { return false }
        memcpy(target, source, chunk.count)
        count += chunk.count
        return true
    }

    /// Makes room for `extra` bytes and returns where they go; nil if there is no memory.
    mutating func reserve(_ extra: Int, expected: Int64?) -> UnsafeMutableRawPointer? {
        if capacity - count < extra {
            let needed = count + extra
            let wanted = max(needed, expected.map { Int(clamping: $0) } ?? needed * 2)
            let size = min(wanted, needed + Self.slack)
            guard let grown = realloc(base, size) else { return nil }
            base = grown
            capacity = size
        }
        return base.map { $0 + count }
    }

    /// Bytes that fit without growing.
    var room: Int { capacity - count }

    /// Counts `extra` bytes as written where ``reserve(_:expected:)`` said.
    mutating func commit(_ extra: Int) {
        precondition(extra >= 0 && count + extra <= capacity)
        count += extra
    }

    /// A copy of what has been collected.
    borrowing func copy() -> Data { base.map { Data(bytes: $0, count: count) } ?? Data() }

    /// Everything collected; the buffer is empty afterwards.
    mutating func take() -> Data {
        defer { (base, capacity, count) = (nil, 0, 0) }
        guard let base, count > 0 else {
            free(base)
            return Data()
        }
        let fitted = capacity - count > 4096 ? realloc(base, count) ?? base : base
        return Data(bytesNoCopy: fitted, count: count, deallocator: .free)
    }
}
