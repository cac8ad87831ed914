package import AlcedoPixels

extension EncodedFormat {
    /// The bits of a channel that Alcedo's codecs write; nil for formats of others.
    private var depths: [Int]? {
        switch self {
        case .png, .tiff: [8, 16]
        case .avif, .heic: [8, 10, 12]
        case .jxl: [8, 10, 12, 16]
        case .jpeg, .webp, .gif, .bmp, .ico: [8]
        default: nil
        }
    }

    /// Throws if the format has not this depth.
    func check(depth: Int?) throws(CodecError) {
        if let reason = reason(against: depth) { throw .encodingFailed(self, reason: reason) }
    }

    /// Why a file can't have this depth; nil if it can.
    package func reason(against depth: Int?) -> String? {
        guard let depth, let depths, !depths.contains(depth) else { return nil }
        let numbers = depths.map(String.init)
        let list =
            numbers.count == 1
            ? numbers[0] : numbers.dropLast().joined(separator: ", ") + " or \(numbers[numbers.count - 1])"
        return "a \(self) has \(list) bits a channel, not \(depth)"
    }

    /// Whether a file has less of a deep bitmap than its bits and its space, and nobody has asked for that.
    package func reduces(_ bitmap: Bitmap, _ options: EncodeOptions) -> Bool {
        guard options.depth == nil, depths != nil else { return false }
        let hasSpace =
            switch self {
            case .gif, .bmp, .ico: bitmap.colorSpace == .sRGB
            case .jpeg, .webp, .tiff: bitmap.colorSpace == .sRGB || bitmap.colorSpace.profile != nil
            default: true
            }
        return !hasSpace || depths == [8] && !bitmap.hasOnlyBytes
    }
}
