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
            guard encoding != .sRGB, encoding.transfer != .pq, encoding.transfer != .hlg,
                let handle = encoding.makeProfile()
            else { return nil }
            defer { cmsCloseProfile(handle) }
            var count: UInt32 = 0
            guard cmsSaveProfileToMem(handle, nil, &count) != 0, count > 0 else { return nil }
            return [UInt8](unsafeUninitializedCapacity: Int(count)) { output, written in
                written = cmsSaveProfileToMem(handle, output.baseAddress, &count) != 0 ? Int(count) : 0
            }
        }
    }
}

extension Bitmap {
    /// The bitmap in 8 bits for a format with room for an ICC profile, and that profile; nil for sRGB.
    ///
    /// PQ and HLG become sRGB.
    package func eightBits() throws(CodecError) -> (bitmap: Bitmap, profile: [UInt8]?) {
        guard isDeep, let profile = colorSpace.profile, !profile.isEmpty else { return (try standard(), nil) }
        return (try cut(), profile)
    }
}
