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

extension GainMapParameters {
    /// A JPEG without metadata, such as one that the codec has just written, with this metadata and a gain map.
    ///
    /// The map, another such JPEG, follows it, and is announced in a list of pictures, by ISO 21496-1, and in the picture's XMP
    /// unless that is of a form that nothing can be added to, or has no room for it in its segment.
    package func file(
        of picture: [UInt8], map: [UInt8], metadata: MetadataBlocks = MetadataBlocks()
    ) -> [UInt8] {
        let map = Self.adding(
            Self.segment(0xE1, MetadataBlocks.xmpMark, xmp) + Self.segment(0xE2, JPEGHeader.gainMapMark, iso),
            to: map)
        var metadata = metadata
        if let announced = Self.announcement(of: map.count, in: metadata.xmp),
            MetadataBlocks.fitsSegment(announced, behind: MetadataBlocks.xmpMark)
        {
            metadata.xmp = announced
        }
        let described = metadata.embedded(in: picture, format: .jpeg)
        // The versions that a reader needs.
        let versions = Self.segment(0xE2, JPEGHeader.gainMapMark, [0, 0, 0, 0])
        let place = Self.place(in: described)
        let count = described.count + versions.count + Self.listSegmentLength
        // Offsets are from the list's own start, after its marker, length and name.
        let list = Self.list(sizes: [count, map.count], offset: count - (place + versions.count + 8))
        return Self.adding(versions + list, to: described) + map
    }

    /// Behind JFIF's segment, which libjpeg writes first.
    private static func place(in file: [UInt8]) -> Int {
        guard file.count > 6, file[2] == 0xFF, file[3] == 0xE0 else { return min(2, file.count) }
        return min(4 + Int(file[4]) << 8 + Int(file[5]), file.count)
    }

    private static func adding(_ segments: [UInt8], to file: [UInt8]) -> [UInt8] {
        file.inserting(segments, at: place(in: file))
    }

    private static func segment(_ marker: UInt8, _ mark: StaticString, _ body: [UInt8]) -> [UInt8] {
        let length = 2 + mark.utf8CodeUnitCount + body.count
        return [0xFF, marker, UInt8(length >> 8), UInt8(length & 0xFF)]
            + UnsafeBufferPointer(start: mark.utf8Start, count: mark.utf8CodeUnitCount) + body
    }

    /// The marker and the length, the name, 50 bytes in front of the entries, and two entries: 4 + 4 + 50 + 2 × 16.
    private static let listSegmentLength = 90

    /// MPF's segment with a directory of three fields and two entries.
    private static func list(sizes: [Int], offset: Int) -> [UInt8] {
        func u32(_ number: Int) -> [UInt8] { (0..<4).map { UInt8(number >> (24 - 8 * $0) & 255) } }
        func field(_ tag: Int, _ type: UInt8, _ count: Int, _ value: [UInt8]) -> [UInt8] {
            [UInt8(tag >> 8), UInt8(tag & 255), 0, type] + u32(count) + value
        }
        // A JPEG that represents the others, and one of no kind that the standard has.
        let entries = [0x0003_0000, sizes[0], 0, 0, 0, sizes[1], offset, 0].flatMap(u32)
        // The entries follow the header, the directory's three fields and its end: 8 + 2 + 3 × 12 + 4 bytes.
        let fields =
            field(0xB000, 7, 4, Array("0100".utf8)) + field(0xB001, 4, 1, u32(2))
            + field(0xB002, 7, entries.count, u32(50))
        let body: [UInt8] = Array("MM\0*".utf8) + u32(8) + [0, 3] + fields
        return segment(0xE2, "MPF\0", body + u32(0) + entries)
    }

    /// XMP that names the pictures of the file, and what `xmp` says beside that; nil for a form that is not known here.
    private static func announcement(of length: Int, in xmp: [UInt8]?) -> [UInt8]? {
        let description = Array(
            """
            <rdf:Description rdf:about="" xmlns:hdrgm="\(XMPNamespace.gainMap)" \
            xmlns:Container="http://ns.google.com/photos/1.0/container/" \
            xmlns:Item="http://ns.google.com/photos/1.0/container/item/" hdrgm:Version="1.0"><Container:Directory><rdf:Seq>\
            <rdf:li rdf:parseType="Resource"><Container:Item Item:Semantic="Primary" Item:Mime="image/jpeg"/></rdf:li>\
            <rdf:li rdf:parseType="Resource"><Container:Item Item:Semantic="GainMap" Item:Mime="image/jpeg" \
            Item:Length="\(length)"/></rdf:li></rdf:Seq></Container:Directory></rdf:Description>
            """.utf8)
        let (start, end) = (
            #"<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">"#,
            "</rdf:RDF>"
        )
        guard let xmp else { return start.utf8 + description + end.utf8 + "</x:xmpmeta>".utf8 }
        guard let place = xmp.firstRange(of: Array(end.utf8))?.lowerBound else { return nil }
        let result = xmp.inserting(description, at: place)
        return XMPDocument(result) == nil ? nil : result
    }
}
