/// Finds where the scans of a progressive JPEG begin, in bytes that grow.
///
/// Each byte is looked at once. Pictures inside of segments, such as thumbnails, are passed over.
struct JPEGScanFinder {
    private enum Place {
        /// Where a marker should be.
        case marker
        /// In the pixels of a scan.
        case pixels
        /// Nothing more is to be found.
        case end
    }

    /// Whether the frame is progressive; nil while its header has not come.
    private(set) var isProgressive: Bool?

    /// Where each scan's marker is.
    private(set) var scanStarts: [Int] = []

    private var place = Place.marker
    private var position = 0

    /// Whether more bytes may tell more.
    var isLooking: Bool { place != .end }

    /// Looks at all bytes since the last call; `bytes` are those of then and more.
    mutating func look(at bytes: RawSpan) {
        while place != .end, step(bytes) {}
    }

    /// Takes one step; false if it needs more bytes.
    private mutating func step(_ bytes: RawSpan) -> Bool {
        if place == .pixels { return skipPixels(bytes) }
        guard let first = byte(bytes, position), let marker = byte(bytes, position + 1) else { return false }
        guard first == 0xFF else { return finish() }
        switch marker {
        case 0xFF: position += 1
        case 0x01, 0xD0...0xD8: position += 2
        case 0xD9: return finish()
        default:
            guard position > 0 else { return finish() }
            return skipSegment(bytes, marker)
        }
        return true
    }

    private mutating func skipSegment(_ bytes: RawSpan, _ marker: UInt8) -> Bool {
        guard let high = byte(bytes, position + 2), let low = byte(bytes, position + 3) else { return false }
        switch marker {
        case 0xC2, 0xCA: isProgressive = true
        case 0xC0...0xCF where ![0xC4, 0xC8, 0xCC].contains(marker):
            isProgressive = false
            return finish()
        case 0xDA:
            guard isProgressive == true else { return finish() }
            scanStarts.append(position)
            place = .pixels
        default: break
        }
        position += 2 + max(2, Int(high) << 8 | Int(low))
        return true
    }

    /// Goes on to the next marker that does not belong to the pixels.
    private mutating func skipPixels(_ bytes: RawSpan) -> Bool {
        while let next = byte(bytes, position + 1) {
            if byte(bytes, position) == 0xFF, next != 0, next != 0xFF, !(0xD0...0xD7).contains(next) {
                place = .marker
                return true
            }
            position += 1
        }
        return false
    }

    private mutating func finish() -> Bool {
        place = .end
        return false
    }

    private func byte(_ bytes: RawSpan, _ offset: Int) -> UInt8? {
        guard offset < bytes.byteCount else { return nil }
        return bytes.unsafeLoad(fromByteOffset: offset, as: UInt8.self)
    }
}
