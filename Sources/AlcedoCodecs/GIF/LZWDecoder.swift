import AlcedoPixels

/// Decodes the LZW codes of a GIF frame to palette indices.
///
/// The string of a code occurs earlier in the output and is copied from there, so all indices of a frame stay in memory. The
/// literal indices precede them.
struct LZWDecoder: ~Copyable {
    /// The string of a code: its first position in the output, and its length.
    fileprivate struct Entry {
        var start: UInt32
        var count: UInt32
    }

    /// The state between two calls.
    fileprivate struct Progress {
        var input = UnsafeRawBufferPointer(start: nil, count: 0)
        var position = 0
        /// The end of the sub-block at `position`.
        var blockEnd = 0
        /// Unread bits, next ones lowest; bits beyond `bitCount` are read again.
        var bits: UInt64 = 0
        var bitCount = 0
        var codeSize = 0
        var width = 0
        var nextCode = 0
        /// The string of the last code; empty after a clear code.
        var last = Entry(start: 0, count: 0)
        var written = 0
    }

    private static let literalCount = 256
    /// Codes have at most 12 bits (GIF89a, appendix F).
    private static let tableSize = 4096
    /// The longest string, and the overrun of a copy.
    private static let slack = tableSize + 16

    private let table = UnsafeMutablePointer<Entry>.allocate(capacity: tableSize)
    private var output: UnsafeMutablePointer<UInt8>?
    private var capacity = 0
    private var state = Progress()

    deinit {
        table.deallocate()
        if let output { PixelMemory.free(output) }
    }

    /// The start of the first unread sub-block.
    var nextBlock: Int { state.blockEnd }

    /// Starts on the codes of `count` indices of `codeSize` bits, at most 11, in the sub-blocks from `position` on.
    ///
    /// Only the lower 8 bits of an index are used, as in browsers. `input` must outlive the decoding. `count` is at most
    /// 65,535², the largest frame of a GIF.
    mutating func start(
        _ input: UnsafeRawBufferPointer,
        from position: Int,
        codeSize: Int,
        count: Int
    ) throws(CodecError) {
        if capacity < count || output == nil {
            let byteCount = Self.literalCount + count + Self.slack
            let larger = try PixelMemory.allocate(byteCount: byteCount).assumingMemoryBound(to: UInt8.self)
            if let output { PixelMemory.free(output) }
            for index in 0..<Self.literalCount { larger[index] = UInt8(index) }
            output = larger
            capacity = count
        }
        for index in 0..<1 << codeSize { table[index] = Entry(start: UInt32(index & 255), count: 1) }
        state = Progress(input: input, position: position, blockEnd: position, codeSize: codeSize)
        state.width = codeSize + 1
        state.nextCode = 1 << codeSize + 2
        state.written = Self.literalCount
    }

    /// The indices of the frame that have been decoded.
    var decoded: UnsafePointer<UInt8>? { output.map { UnsafePointer($0 + Self.literalCount) } }

    /// Decodes until `count` indices are there.
    mutating func decode(_ count: Int) throws(CodecError) {
        guard let output else { return }
        precondition(count <= capacity, "more indices than the frame has")
        let end = Self.literalCount + count
        let clear = 1 << state.codeSize
        // A local copy, which the compiler keeps in registers.
        var now = state
        defer { state = now }
        var mask = 1 << now.width - 1
        while now.written < end {
            if now.bitCount < now.width { try now.refill() }
            let code = Int(truncatingIfNeeded: now.bits) & mask
            now.bits &>>= UInt64(truncatingIfNeeded: now.width)
            now.bitCount &-= now.width

            if code &- clear < 2, code >= clear {
                guard code == clear else { throw now.error("a frame has too few pixels") }
                now.width = now.codeSize + 1
                mask = 1 << now.width - 1
                now.nextCode = clear + 2
                now.last.count = 0
                continue
            }
            // The last string and the first index of this one, which is written after it.
            if now.last.count > 0, now.nextCode < Self.tableSize {
                table[now.nextCode] = Entry(start: now.last.start, count: now.last.count &+ 1)
                now.nextCode &+= 1
            }
            guard code < now.nextCode else { throw now.error("its code stream is wrong") }
            if now.nextCode > mask, now.width < 12 {
                now.width &+= 1
                mask = mask &* 2 &+ 1
            }
            let entry = table[code]
            let length = Int(entry.count)
            Self.copy(output + Int(entry.start), to: output + now.written, count: length)
            now.last = Entry(start: UInt32(truncatingIfNeeded: now.written), count: entry.count)
            now.written &+= length
        }
    }

    /// Copies at least `count` indices; the last one may be the first one of the copy (KwKwK).
    @inline(__always)
    private static func copy(
        _ source: UnsafeMutablePointer<UInt8>,
        to target: UnsafeMutablePointer<UInt8>,
        count: Int
    ) {
        var done = 0
        repeat {
            let part = UnsafeRawPointer(source + done).loadUnaligned(as: SIMD16<UInt8>.self)
            UnsafeMutableRawPointer(target + done).storeBytes(of: part, as: SIMD16<UInt8>.self)
            done &+= 16
        } while done < count
        if source + count > target { target[count &- 1] = target[0] }
    }
}

extension LZWDecoder.Progress {
    /// Reads the bits of at least one code.
    @inline(__always)
    fileprivate mutating func refill() throws(CodecError) {
        if blockEnd &- position >= 8, let base = input.baseAddress {
            let word = (base + position).loadUnaligned(as: UInt64.self)
            bits |= UInt64(littleEndian: word) &<< UInt64(truncatingIfNeeded: bitCount)
            position &+= (63 &- bitCount) &>> 3
            // Adds eight for each byte that was read; the lowest three bits stay.
            bitCount |= 56
        } else {
            try refillByByte()
        }
    }

    /// Reads byte by byte near the end of a sub-block.
    @inline(never)
    private mutating func refillByByte() throws(CodecError) {
        while bitCount < width {
            if position == blockEnd {
                guard position < input.count else { throw .truncated(.gif) }
                let length = Int(input[position])
                guard length > 0 else { throw error("a frame has too few codes") }
                guard length < input.count - position else { throw .truncated(.gif) }
                position += 1
                blockEnd = position + length
            }
            bits |= UInt64(input[position]) << UInt64(bitCount)
            bitCount += 8
            position += 1
        }
    }

    fileprivate func error(_ reason: String) -> CodecError {
        blockEnd >= input.count ? .truncated(.gif) : .corrupt(.gif, reason: reason)
    }
}
