import AlcedoPixels

/// Corrects structures that libavif 0.11 misreads, in a copy.
enum AVIFRepair {
    /// Nil if there is nothing to change.
    static func repaired(_ buffer: UnsafeRawBufferPointer) -> EncodedBytes? {
        let bytes = buffer.bytes
        var changes: [(offset: Int, value: UInt32)] = []
        for box in HEIFBoxes.all(in: 0..<bytes.byteCount, bytes) {
            // A last box may leave its length open; libavif takes that for one of eight bytes.
            let start = box.content.lowerBound - 8
            if HEIFBoxes.u32(bytes, start) == 0, HEIFBoxes.u32(bytes, start + 4) == box.kind,
                let length = UInt32(exactly: box.content.count + 8)
            {
                changes.append((start, length))
            }
            guard box.kind == HEIFBoxes.name("moov") else { continue }
            for track in HEIFBoxes.all(in: box.content, bytes)
            where track.kind == HEIFBoxes.name("trak") && isOtherAuxiliary(track.content, bytes) {
                let name = track.content.lowerBound - 4
                guard HEIFBoxes.u32(bytes, name) == track.kind else { continue }
                // It would count as alpha.
                changes.append((name, UInt32(HEIFBoxes.name("free"))))
            }
        }
        guard !changes.isEmpty else { return nil }
        var copy = [UInt8](buffer)
        for change in changes {
            for (place, shift) in [24, 16, 8, 0].enumerated() {
                copy[change.offset + place] = UInt8(truncatingIfNeeded: change.value >> UInt32(shift))
            }
        }
        return EncodedBytes(copying: copy.span.bytes)
    }

    /// Whether a track is auxiliary, but not alpha.
    private static func isOtherAuxiliary(_ track: Range<Int>, _ bytes: RawSpan) -> Bool {
        guard let media = HEIFBoxes.find("mdia", in: track, bytes),
            let information = HEIFBoxes.find("minf", in: media, bytes),
            let table = HEIFBoxes.find("stbl", in: information, bytes),
            let descriptions = HEIFBoxes.find("stsd", in: table, bytes)
        else { return false }
        for entry in HEIFBoxes.all(in: descriptions.dropFirst(8), bytes) {
            // Behind the fields of every VisualSampleEntry (ISO/IEC 14496-12, 12.1.3).
            guard let kind = HEIFBoxes.find("auxi", in: entry.content.dropFirst(78), bytes) else {
                continue
            }
            let name = bytes.extracting(kind.dropFirst(4)).withUnsafeBytes { $0.prefix { $0 != 0 } }
            return !alpha.contains(String(decoding: name, as: UTF8.self))
        }
        return false
    }

    private static let alpha: Set = [
        "urn:mpeg:mpegB:cicp:systems:auxiliary:alpha", "urn:mpeg:hevc:2015:auxid:1",
    ]
}
