package import AlcedoPixels

/// The second picture of an Ultra HDR JPEG, which says by how much each pixel of the first one is brighter.
///
/// It is found by the list of pictures (CIPA DC-007, MPF), and described by ISO 21496-1 or by Adobe's XMP, both in the
/// map's own file. Only headers are read, each at most once, so nothing can lead in a circle.
package struct JPEGGainMap {
    /// Where the map's JPEG is in the file.
    package let range: Range<Int>
    package let size: PixelSize
    package let parameters: GainMapParameters
    /// Whether it changes colours, and so is right for pixels in the picture's own space only, which is not sRGB.
    package let needsColorSpace: Bool
    /// Bytes of the coefficients of a map with several scans.
    package let coefficientBytes: Int

    /// Nil without a map that can be applied: a file without one, lengths beyond its end, numbers that make no sense, a
    /// map of more pixels than its picture, one of a kind of JPEG that is not decoded, and one that changes colours in
    /// another space than the picture's.
    package init?(_ bytes: RawSpan, limits: DecodeLimits) {
        guard let header = try? JPEGHeader(bytes) else { return nil }
        self.init(bytes, header, limits)
    }

    /// As ``init(_:limits:)``, for a header that has been read.
    init?(_ bytes: RawSpan, _ header: JPEGHeader, _ limits: DecodeLimits) {
        guard let list = header.pictureList, header.components != 4 else { return nil }
        for range in Self.pictures(listedIn: list, of: bytes) {
            let map = bytes.extracting(range)
            guard let mapHeader = try? JPEGHeader(map), mapHeader.size.area <= header.size.area,
                mapHeader.precision == 8, mapHeader.coding != .other,
                [1, 3].contains(mapHeader.components),
                let parameters = Self.parameters(of: map, mapHeader, limit: limits.metadataBytes)
            else { continue }
            let changesColors = mapHeader.components == 3 || !parameters.isGrey
            guard
                parameters.isInPictureSpace || !changesColors
                    || !header.mayHaveRGBProfile && !mapHeader.mayHaveRGBProfile
            else { continue }
            (self.range, size, self.parameters) = (range, mapHeader.size, parameters)
            needsColorSpace =
                changesColors && header.mayHaveRGBProfile
                && header.profile(in: bytes, limit: limits.metadataBytes)
                    .flatMap { ColorTransform.toSRGB(from: $0, layout: .bgra) } != nil
            coefficientBytes = mapHeader.hasSeveralScans ? mapHeader.coefficientBytes : 0
            return
        }
        return nil
    }

    private static func parameters(
        of map: RawSpan, _ header: JPEGHeader, limit: Int
    ) -> GainMapParameters? {
        if let range = header.gainMapMetadata, let parameters = GainMapParameters(iso: map.copy(range)) {
            return parameters
        }
        return MetadataBlocks(of: map, format: .jpeg, limit: limit).xmp.flatMap { GainMapParameters(xmp: $0) }
    }

    /// The pictures after the first one; `list` is the body of MPF's segment.
    private static func pictures(listedIn list: Range<Int>, of bytes: RawSpan) -> [Range<Int>] {
        let tiff = bytes.extracting(list)
        guard let order = TIFFOrder(tiff), let directory = order.u32(tiff, 4) else { return [] }
        let fields = order.u16(tiff, directory) ?? 0
        let places = (0..<min(fields, mostFields)).map { directory + 2 + $0 * 12 }
        guard let field = places.first(where: { order.u16(tiff, $0) == entriesTag }),
            let count = order.u32(tiff, field + 4), let start = order.u32(tiff, field + 8)
        else { return [] }
        return (1..<max(min(count / 16, mostPictures), 1)).compactMap { index in
            let entry = start + index * 16
            guard let size = order.u32(tiff, entry + 4), let offset = order.u32(tiff, entry + 8),
                offset > 0, size > 0, list.lowerBound + offset + size <= bytes.byteCount
            else { return nil }
            let first = list.lowerBound + offset
            return first..<first + size
        }
    }

    private static let entriesTag = 0xB002
    private static let (mostFields, mostPictures) = (64, 16)
}
