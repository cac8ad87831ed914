/// A gain map as files keep it.
package struct GainMapFile: Sendable, Equatable {
    /// A JPEG of its samples, without metadata and without a profile, which samples of a map don't have.
    package var jpeg: [UInt8]
    package var parameters: GainMapParameters

    package init(jpeg: [UInt8], parameters: GainMapParameters) {
        (self.jpeg, self.parameters) = (jpeg, parameters)
    }

    package init(_ map: JPEGGainMap, in file: RawSpan) {
        self.init(jpeg: Self.samples(of: file.extracting(map.range)), parameters: map.parameters)
    }

    /// A JPEG without the segments of applications, but for those that say how its colours are stored.
    private static func samples(of file: RawSpan) -> [UInt8] {
        var (offset, kept) = (2, 2)
        var result: [UInt8] = []
        while let marker = JPEGHeader.nextMarker(in: file, from: &offset), marker != 0xDA,
            let length = file.u16BE(offset), offset + max(length, 2) <= file.byteCount
        {
            let end = offset + max(length, 2)
            if marker == 0xFE || (0xE1...0xEF).contains(marker) && marker != 0xEE {
                // Fill bytes in front of the marker may stay.
                result += file.copy(min(kept, offset - 2)..<offset - 2)
                kept = end
            }
            offset = end
        }
        return [0xFF, 0xD8] + result + file.copy(min(kept, file.byteCount)..<file.byteCount)
    }
}
