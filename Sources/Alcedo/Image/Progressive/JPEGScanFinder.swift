/// Finds the offsets of a progressive JPEG's scans in a growing buffer.
///
/// Reads each byte once. Skips segments, including thumbnails inside them.
struct JPEGScanFinder {
    private enum State {
        /// Expects a marker.
        case marker
        /// Inside the entropy-coded data of a scan.
        case scanData
        /// Found the end of the image, or data that is not a progressive JPEG.
        case finished
    }

    /// Whether the frame is progressive; nil until its header is received.
    private(set) var isProgressive: Bool?

    /// The end of the frame header, which the bytes may not have reached; nil until its start is received.
    private(set) var frameEnd: Int?

    /// The offset of each scan's SOS marker.
    private(set) var scanStarts: [Int] = []

    private var state = State.marker
    private var position = 0

    /// Whether more bytes may contain more scans.
    var needsMoreData: Bool { state != .finished }

    /// Parses the bytes since the last call; `bytes` starts with the bytes of that call.
    mutating func parse(_ bytes: RawSpan) {
        while state != .finished, step(bytes) {}
    }

    /// Parses one marker, segment or scan; false if it needs more bytes or has finished.
    private mutating func step(_ bytes: RawSpan) -> Bool {
        if state == .scanData { return skipScanData(bytes) }
        guard let first = byte(bytes, position), let marker = byte(bytes, position + 1) else { return false }
        guard first == 0xFF else { return finish() }
        switch marker {
        case 0xFF: position += 1
        case 0x01, 0xD0...0xD8: position += 2
        case 0xD9: return finish()
        default:
            // A JPEG starts with SOI, not with a segment.
            guard position > 0 else { return finish() }
            return skipSegment(bytes, marker)
        }
        return true
    }

    private mutating func skipSegment(_ bytes: RawSpan, _ marker: UInt8) -> Bool {
        guard let high = byte(bytes, position + 2), let low = byte(bytes, position + 3) else { return false }
        // A length counts its own two bytes, so that a smaller one is damage.
        let end = position + 2 + max(2, Int(high) << 8 | Int(low))
        switch marker {
        // SOF2 and SOF10: progressive, with Huffman or arithmetic coding.
        case 0xC2, 0xCA:
            isProgressive = true
            frameEnd = frameEnd ?? end
        // DHT, JPG and DAC are in the range of the frames, but are none.
        case 0xC0...0xCF where ![0xC4, 0xC8, 0xCC].contains(marker):
            isProgressive = false
            frameEnd = frameEnd ?? end
            return finish()
        case 0xDA:
            guard isProgressive == true else { return finish() }
            scanStarts.append(position)
            state = .scanData
        default: break
        }
        position = end
        return true
    }

    /// Skips to the next marker other than RSTn and stuffed bytes.
    private mutating func skipScanData(_ bytes: RawSpan) -> Bool {
        while let next = byte(bytes, position + 1) {
            if byte(bytes, position) == 0xFF, next != 0, next != 0xFF, !(0xD0...0xD7).contains(next) {
                state = .marker
                return true
            }
            position += 1
        }
        return false
    }

    private mutating func finish() -> Bool {
        state = .finished
        return false
    }

    private func byte(_ bytes: RawSpan, _ offset: Int) -> UInt8? {
        guard offset < bytes.byteCount else { return nil }
        return bytes.unsafeLoad(fromByteOffset: offset, as: UInt8.self)
    }
}
