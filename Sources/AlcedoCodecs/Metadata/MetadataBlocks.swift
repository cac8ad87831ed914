package import AlcedoPixels

/// What an image file says about its picture, as bytes.
package struct MetadataBlocks: Sendable, Equatable {
    /// A TIFF structure (JEITA CP-3451), without `Exif\0\0` in front.
    package var exif: [UInt8]?

    /// An RDF document (ISO 16684-1).
    package var xmp: [UInt8]?

    /// The rest of that document, where a JPEG has it beyond one segment; it is never written.
    package var xmpExtension: [UInt8]?

    /// IPTC's records (IIM).
    package var iptc: [UInt8]?

    /// The gain map of a JPEG, for pictures that have all of its pixels; not among what is read of a file.
    package var gainMap: GainMapFile?

    package init(exif: [UInt8]? = nil, xmp: [UInt8]? = nil, iptc: [UInt8]? = nil) {
        (self.exif, self.xmp, self.iptc) = (exif, xmp, iptc)
    }

    /// Reads the metadata of a file; blocks of more than `limit` bytes are left out.
    ///
    /// The structure of a TIFF is written anew, without what says where its pixels are.
    package init(of bytes: RawSpan, format: EncodedFormat, limit: Int) {
        self = MetadataSource.lending(bytes) { MetadataReader($0, format: format, limit: limit).blocks }
    }

    static let xmpMark: StaticString = "http://ns.adobe.com/xap/1.0/\0"
    static let resourcesMark: StaticString = "Photoshop 3.0\0"

    /// In a PNG: uncompressed, in no language.
    static let pngMark: StaticString = "XML:com.adobe.xmp\0\0\0\0\0"

    package var byteCount: Int {
        [exif, xmp, xmpExtension, iptc, gainMap?.jpeg].reduce(0) { $0 + ($1?.count ?? 0) }
    }

    package var isEmpty: Bool { exif == nil && xmp == nil && iptc == nil && gainMap == nil }
}

// MARK: - What is kept

extension MetadataBlocks {
    /// What a file keeps that is made of the picture, and whose pixels need to be turned by `orientation`.
    package func kept(by policy: MetadataPolicy, orientation: ImageOrientation) -> MetadataBlocks {
        var kept = kept(by: policy)
        kept.gainMap = policy.keepsGainMap ? gainMap : nil
        if orientation == .up { return kept.upright }
        let present = kept.exif.map { EXIF.orientation(in: $0.span.bytes, at: 0..<$0.count) }
        guard present != orientation else { return kept }
        var structure = kept.exif.flatMap { EXIFStructure($0) } ?? EXIFStructure()
        let value = UInt8(orientation.rawValue)
        structure.image.removeAll { $0.tag == EXIFTag.orientation }
        structure.image.append(
            EXIFStructure.Field(
                tag: EXIFTag.orientation, type: 3, value: structure.isBig ? [0, value] : [value, 0]))
        kept.exif = structure.serialized()
        return kept
    }

    /// What a file keeps that is made of the picture, whichever way its pixels are turned.
    ///
    /// Never a thumbnail, which shows the picture before it was changed, nor XMP's announcements of a gain
    /// map, a film or a depth map, which the file does not have. XMP that is not well-formed is left out, as
    /// none of that can be found in it.
    func kept(by policy: MetadataPolicy) -> MetadataBlocks {
        switch policy {
        case .none: MetadataBlocks()
        case .copyright: copyright
        case .allButLocation:
            MetadataBlocks(
                exif: exif.flatMap { exif in
                    var structure = EXIFStructure(exif)
                    structure?.location = []
                    return structure?.serialized()
                },
                xmp: xmp.flatMap(XMPDocument.init)?.removing {
                    XMPNamespace.announcesMore($0, $1) || XMPNamespace.isLocation($1)
                },
                iptc: iptc.flatMap { IPTCRecords($0).withoutLocation })
        case .all:
            MetadataBlocks(
                exif: exif.map(EXIF.withoutThumbnail),
                xmp: xmp.flatMap(XMPDocument.init)?.removing(where: XMPNamespace.announcesMore), iptc: iptc)
        }
    }

    /// Only the copyright and the artist, as EXIF; where that has none, those of XMP or IPTC.
    private var copyright: MetadataBlocks {
        let own = exif.flatMap { EXIF.copyright(of: $0) }
        var structure = own.flatMap { EXIFStructure($0) } ?? EXIFStructure()
        let present = Set(structure.image.map(\.tag))
        guard present.count < 2, xmp != nil || iptc != nil else { return MetadataBlocks(exif: own) }
        let described = ImageMetadata(MetadataBlocks(xmp: xmp, iptc: iptc))
        for (tag, text) in [
            (EXIFTag.artist, described.creators.joined(separator: "; ")),
            (EXIFTag.copyright, described.rights ?? ""),
        ] where !present.contains(tag) && !text.isEmpty {
            structure.image.append(
                EXIFStructure.Field(tag: tag, type: EXIF.asciiType, value: Array(text.utf8) + [0]))
        }
        return MetadataBlocks(exif: structure.serialized())
    }

    /// The same for pixels that have been turned upright.
    var upright: MetadataBlocks {
        var upright = MetadataBlocks(exif: exif.map(EXIF.upright), xmp: xmp.map(Self.upright), iptc: iptc)
        upright.gainMap = gainMap
        return upright
    }

    /// Changes the numbers after `tiff:Orientation`, which are attributes or elements of XMP, to 1.
    private static func upright(xmp: [UInt8]) -> [UInt8] {
        var xmp = xmp
        let name = Array("tiff:Orientation".utf8)
        var start = 0
        while let found = xmp[start...].firstRange(of: name) {
            start = found.upperBound
            // `="6"`, or `>6<`.
            let value = xmp[start...].prefix(3).firstIndex {
                (UInt8(ascii: "1")...UInt8(ascii: "8")).contains($0)
            }
            if let value { xmp[value] = UInt8(ascii: "1") }
        }
        return xmp
    }
}

extension MetadataPolicy {
    /// Whether the gain map of a JPEG is kept, which is a picture and no notice of copyright.
    package var keepsGainMap: Bool {
        switch self {
        case .none, .copyright: false
        case .allButLocation, .all: true
        }
    }
}
