package import AlcedoPixels
import CLcms2

extension ColorSpace {
    /// The ICC profile that a file may have for this space; nil for sRGB, which files without one have, and for PQ and HLG,
    /// whose light no profile without a `cicp` tag has.
    package var profile: [UInt8]? {
        switch self {
        case .icc(let profile): return profile
        case .codePoints(let primaries, let transfer):
            let encoding = RGBEncoding(primaries: Int(primaries), transfer: Int(transfer))
            let name = StoredColors(bits: 8, codePoints: self).name
            return encoding == .sRGB ? nil : encoding.profile(named: name)
        }
    }

    /// The space of code points that a file may have; unknown and unspecified ones mean those of sRGB.
    package init(primaries: Int, transfer: Int) {
        self = .codePoints(
            primaries: RGBEncoding.primaries.contains(primaries) ? UInt8(primaries) : 1,
            transfer: RGBEncoding.transfers.contains(transfer) ? UInt8(transfer) : 13)
    }
}

extension RGBEncoding {
    /// The colour space of pixels with this encoding: code points, or a profile if there are none for it.
    ///
    /// Nil for PQ and HLG with primaries that have no code point.
    package var space: ColorSpace? {
        for primaries in Self.primaries {
            for transfer in Self.transfers
            where isClose(RGBEncoding(primaries: primaries, transfer: transfer)) {
                return ColorSpace(primaries: primaries, transfer: transfer)
            }
        }
        return profile(named: nil).map { .icc($0) }
    }

    /// The bytes of a profile, always the same; nil for PQ and HLG.
    ///
    /// Little CMS calls it “RGB built-in” without a name, which programs show to people.
    fileprivate func profile(named name: String?) -> [UInt8]? {
        guard transfer != .pq, transfer != .hlg, let handle = makeProfile() else { return nil }
        defer { cmsCloseProfile(handle) }
        if let name {
            let text = cmsMLUalloc(nil, 1)
            defer { cmsMLUfree(text) }
            guard cmsMLUsetASCII(text, "en", "US", name) != 0,
                cmsWriteTag(handle, cmsSigProfileDescriptionTag, UnsafeRawPointer(text)) != 0
            else { return nil }
        }
        var count: UInt32 = 0
        guard cmsSaveProfileToMem(handle, nil, &count) != 0, count >= 128 else { return nil }
        var bytes = [UInt8](unsafeUninitializedCapacity: Int(count)) { output, written in
            written = cmsSaveProfileToMem(handle, output.baseAddress, &count) != 0 ? Int(count) : 0
        }
        guard bytes.count >= 128 else { return nil }
        // Little CMS writes the time at which the profile was made.
        bytes.replaceSubrange(24..<36, with: [0x07, 0xD0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0])
        return bytes
    }
}

extension Bitmap {
    /// The bitmap in 8 bits for a format with room for an ICC profile, and that profile; nil for sRGB.
    ///
    /// PQ and HLG become sRGB. With `isStraight`, what encoders want, the colours of a deep bitmap are divided by alpha;
    /// without it they stay as they are, to be drawn on.
    package func eightBits(
        isStraight: Bool = true
    ) throws(CodecError) -> (bitmap: Bitmap, profile: [UInt8]?) {
        guard isDeep, let profile = colorSpace.profile, !profile.isEmpty else { return (try standard(), nil) }
        return (try cut(isStraight: isStraight), profile)
    }
}
