import Glibc

/// A bit reader for entropy-coded bytes; the next bit is the highest.
struct JPEGBits {
    /// The next byte after the `count` valid bits of `bits`; bits beyond them are read again.
    var next: UnsafePointer<UInt8>
    var bits: UInt64 = 0
    var count = 0

    /// Reads until there are at least 56 bits.
    @inline(__always)
    mutating func refill() {
        let word = UInt64(bigEndian: UnsafeRawPointer(next).loadUnaligned(as: UInt64.self))
        bits |= word &>> UInt64(truncatingIfNeeded: count)
        next += (63 &- count) &>> 3
        // Adds eight for each byte that was read; the lowest three bits stay.
        count |= 56
    }

    /// The next `width` bits, from 1 to 63.
    @inline(__always)
    func peek(_ width: Int) -> Int {
        Int(truncatingIfNeeded: bits &>> UInt64(truncatingIfNeeded: 64 &- width))
    }

    @inline(__always)
    mutating func skip(_ width: Int) {
        bits &<<= UInt64(truncatingIfNeeded: width)
        count &-= width
    }

    /// Reads a coefficient of `size` bits, at most 15.
    @inline(__always)
    mutating func takeValue(_ size: Int) -> Int32 {
        let value = Int((bits &>> 1) &>> UInt64(truncatingIfNeeded: 63 &- size))
        skip(size)
        return Self.value(value, size: size)
    }

    /// Sign-extends `size` bits to a coefficient (EXTEND in T.81, F.2.2.1).
    @inline(__always)
    static func value(_ bits: Int, size: Int) -> Int32 {
        let value = Int32(truncatingIfNeeded: bits)
        let half = ((1 as Int32) &<< Int32(truncatingIfNeeded: size)) &>> 1
        return value < half ? value &- half &- half &+ 1 : value
    }
}

/// A window of the entropy-coded bytes up to a marker, without stuffed zero bytes.
struct JPEGWindow: ~Copyable {
    private static let capacity = 1 << 16

    /// More than the bytes of an MCU, which has at most 10 blocks of 64 coefficients of 31 bits.
    private static let reserve = 1 << 12

    private let bytes: UnsafeRawBufferPointer
    private let memory: UnsafeMutablePointer<UInt8>
    private var position: Int
    private var end: UnsafeMutablePointer<UInt8>

    /// The marker after the bytes, once the window has reached it; nil if `bytes` end without a marker.
    private(set) var marker: Int?
    private var isAtEnd = false

    /// An MCU that starts beyond this needs ``refill(_:)`` first.
    private(set) var limit: UnsafePointer<UInt8>

    init(_ bytes: UnsafeRawBufferPointer, from start: Int) {
        self.bytes = bytes
        memory = .allocate(capacity: Self.capacity + Self.reserve)
        position = start
        end = memory
        limit = UnsafePointer(memory)
    }

    deinit { memory.deallocate() }

    /// Starts at the first byte, or after the restart marker that was reached.
    mutating func restart() -> JPEGBits {
        if marker != nil { position += 2 }
        (marker, isAtEnd, end) = (nil, false, memory)
        fill()
        return JPEGBits(next: UnsafePointer(memory))
    }

    /// Reads the bytes of at least one MCU; false if more bits were consumed than there are.
    mutating func refill(_ bits: inout JPEGBits) -> Bool {
        if isAtEnd { return bits.next - bits.count / 8 <= UnsafePointer(end) }
        let rest = UnsafePointer(end) - bits.next
        guard rest >= 0 else { return false }
        memmove(memory, bits.next, rest)
        end = memory + rest
        bits.next = UnsafePointer(memory)
        fill()
        return true
    }

    /// Whether `bits` were consumed exactly up to the marker, except for the padding of the last byte.
    func isUsedUp(by bits: JPEGBits) -> Bool {
        isAtEnd && bits.next - bits.count / 8 == UnsafePointer(end)
    }

    /// Whether `bits` were consumed up to the marker or beyond it.
    func isExhausted(by bits: JPEGBits) -> Bool {
        isAtEnd && bits.next - bits.count / 8 >= UnsafePointer(end)
    }

    /// Whether bits remain, other than the one-bits that pad the last byte.
    func hasMore(than bits: JPEGBits) -> Bool {
        guard isAtEnd else { return true }
        let left = (UnsafePointer(end) - bits.next) * 8 + bits.count
        return left >= 8 || left > 0 && bits.peek(left) != 1 << left - 1
    }

    private mutating func fill() {
        let last = memory + Self.capacity
        while end < last, !isAtEnd { copyRun(to: last) }
        // Reads beyond the end return zeros.
        if isAtEnd { end.update(repeating: 0, count: Self.reserve) }
        limit = isAtEnd ? UnsafePointer(end) : UnsafePointer(end - Self.reserve)
    }

    /// Copies up to a byte of 0xFF, and that byte too if it is stuffed.
    private mutating func copyRun(to last: UnsafeMutablePointer<UInt8>) {
        guard let base = bytes.baseAddress, position < bytes.count else {
            isAtEnd = true
            return
        }
        let room = min(bytes.count - position, last - end)
        let run = memchr(base + position, 0xFF, room).map { UnsafeRawPointer($0) - (base + position) } ?? room
        memcpy(end, base + position, run)
        end += run
        position += run
        guard run < room else { return }
        guard position + 1 < bytes.count, bytes[position + 1] == 0 else {
            isAtEnd = true
            marker = position + 1 < bytes.count ? Int(bytes[position + 1]) : nil
            return
        }
        end.pointee = 0xFF
        end += 1
        position += 2
    }
}
