import Glibc

/// The bits of entropy-coded bytes, the next one highest.
struct JPEGBits {
    /// The next byte after the `count` valid bits of `bits`; bits beyond them are read again.
    var next: UnsafePointer<UInt8>
    var bits: UInt64 = 0
    var count = 0

    /// Makes sure of 56 bits.
    @inline(__always)
    mutating func refill() {
        let word = UInt64(bigEndian: UnsafeRawPointer(next).loadUnaligned(as: UInt64.self))
        bits |= word &>> UInt64(truncatingIfNeeded: count)
        next += (63 &- count) &>> 3
        count |= 56
    }

    /// The next bits, at least one and at most 63.
    @inline(__always)
    func peek(_ width: Int) -> Int {
        Int(truncatingIfNeeded: bits &>> UInt64(truncatingIfNeeded: 64 &- width))
    }

    @inline(__always)
    mutating func skip(_ width: Int) {
        bits &<<= UInt64(truncatingIfNeeded: width)
        count &-= width
    }

    /// Takes a coefficient of `size` bits, at most 15.
    @inline(__always)
    mutating func takeValue(_ size: Int) -> Int32 {
        let value = Int((bits &>> 1) &>> UInt64(truncatingIfNeeded: 63 &- size))
        skip(size)
        return Self.value(value, size: size)
    }

    /// The coefficient that `size` bits stand for (T.81, F.2.2.1).
    @inline(__always)
    static func value(_ bits: Int, size: Int) -> Int32 {
        let value = Int32(truncatingIfNeeded: bits)
        let half = ((1 as Int32) &<< Int32(truncatingIfNeeded: size)) &>> 1
        return value < half ? value &- half &- half &+ 1 : value
    }
}

/// Entropy-coded bytes up to a marker, without the zeros that are stuffed between them, some at a time.
struct JPEGWindow: ~Copyable {
    private static let capacity = 1 << 16

    /// More than an MCU takes, which is 10 blocks of 64 codes and values of 31 bits.
    private static let reserve = 1 << 12

    private let bytes: UnsafeRawBufferPointer
    private let memory: UnsafeMutablePointer<UInt8>
    private var position: Int
    private var end: UnsafeMutablePointer<UInt8>

    /// The marker that ends the bytes, when they have been read up to it; nil also where `bytes` end without one.
    private(set) var marker: Int?
    private var isAtEnd = false

    /// An MCU that starts beyond it must not be read before ``refill(_:)``.
    private(set) var limit: UnsafePointer<UInt8>

    init(_ bytes: UnsafeRawBufferPointer, from start: Int) {
        self.bytes = bytes
        memory = .allocate(capacity: Self.capacity + Self.reserve)
        position = start
        end = memory
        limit = UnsafePointer(memory)
    }

    deinit { memory.deallocate() }

    /// The bits from the start, or from behind the restart marker that has just been met.
    mutating func restart() -> JPEGBits {
        if marker != nil { position += 2 }
        (marker, isAtEnd, end) = (nil, false, memory)
        fill()
        return JPEGBits(next: UnsafePointer(memory))
    }

    /// Makes sure of the bytes of an MCU; false if bits were taken that are not there.
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

    /// Whether `bits` have been taken up to the marker, but for those that fill the last byte.
    func isUsedUp(by bits: JPEGBits) -> Bool {
        isAtEnd && bits.next - bits.count / 8 == UnsafePointer(end)
    }

    /// Whether `bits` have been taken up to the marker, or more than there are.
    func isExhausted(by bits: JPEGBits) -> Bool {
        isAtEnd && bits.next - bits.count / 8 >= UnsafePointer(end)
    }

    /// Whether bits are left, other than the ones that fill the last byte.
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

    /// Copies up to a byte of 255, and that one too if it is no marker.
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
