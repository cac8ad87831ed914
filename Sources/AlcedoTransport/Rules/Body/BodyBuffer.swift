import Foundation

/// Collects a body in one block of memory and returns it without a copy.
///
/// Allocates at most ``slack`` bytes beyond those received, for any announced length.
struct BodyBuffer: ~Copyable {
    /// Most bytes to allocate ahead for an announced length.
    static let slack = 1 << 20

    private var base: UnsafeMutableRawPointer?
    private var capacity = 0

    private(set) var count = 0

    init() {}

    deinit { free(base) }

    /// Adds `chunk`; `expected` is the announced length of the whole body, if known.
    ///
    /// Returns false if there is no memory for it.
    mutating func append(_ chunk: UnsafeRawBufferPointer, expected: Int64?) -> Bool {
        guard let source = chunk.baseAddress, !chunk.isEmpty else { return true }
        guard let target = reserve(chunk.count, expected: expected) else { return false }
        memcpy(target, source, chunk.count)
        count += chunk.count
        return true
    }

    /// Makes room for `extra` bytes and returns their address; nil if there is no memory.
    mutating func reserve(_ extra: Int, expected: Int64?) -> UnsafeMutableRawPointer? {
        if capacity - count < extra {
            let needed = count + extra
            let wanted = max(needed, expected.map { Int(clamping: $0) } ?? needed * 2)
            let size = min(wanted, needed + Self.slack)
            // Of the C library, because the `Data` that takes the block frees it.
            guard let grown = realloc(base, size) else { return nil }
            base = grown
            capacity = size
        }
        return base.map { $0 + count }
    }

    /// Bytes that fit without growing.
    var room: Int { capacity - count }

    /// Counts `extra` bytes as written to the address of ``reserve(_:expected:)``.
    mutating func commit(_ extra: Int) {
        precondition(extra >= 0 && count + extra <= capacity)
        count += extra
    }

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
