import AlcedoCodecs
import AlcedoPixels
import AlcedoRaster
import Foundation

extension EncodedImage {
    /// The gain map of an Ultra HDR JPEG for a picture that is created from all of it, upright, in another size.
    ///
    /// Nil without a map that can be applied, for pixels that have its light or are not in the space that it needs. It is not
    /// enlarged.
    func gainMap(for picture: Bitmap) throws(CodecError) -> GainMapFile? {
        guard limits.colorRetention != .hdr, !picture.isHDR, let map = gainMap,
            // Not every profile can be kept, whatever the options say.
            !map.needsColorSpace || picture.isDeep && picture.colorSpace != .sRGB
        else { return nil }
        let size = picture.size
        let (whole, full) = (info.orientation.upright(map.size), info.uprightSize)
        func side(_ length: Int, _ new: Int, _ old: Int) -> Int {
            min(length, max(1, (length * new + old / 2) / max(old, 1)))
        }
        let target = PixelSize(
            width: side(whole.width, size.width, full.width),
            height: side(whole.height, size.height, full.height))
        guard info.orientation != .up || target != whole else { return GainMapFile(map, in: data.bytes) }
        return try edited(map) { samples throws(CodecError) in
            try samples.oriented(info.orientation).resized(to: target)
        }
    }

    /// The gain map of an Ultra HDR JPEG; nil for other images.
    package var gainMap: JPEGGainMap? {
        info.format == .jpeg ? JPEGGainMap(data.bytes, limits: limits) : nil
    }

    /// A gain map whose samples, as they are stored, `change` has changed; nil for one that is damaged.
    ///
    /// `change` needs `extra` bytes beside two copies of the samples.
    package func edited(
        _ map: JPEGGainMap, reserving extra: Int = 0, change: (Bitmap) throws(CodecError) -> Bitmap
    ) throws(CodecError) -> GainMapFile? {
        let options = DecodeOptions { $0.limits = limits }.inStandardColor
        let cost = map.size.area * 16 + map.coefficientBytes + extra
        do throws(CodecError) {
            return try resources.budget.withReservation(of: cost) { () throws(CodecError) -> GainMapFile in
                let file = GainMapFile(map, in: data.bytes)
                let changed = try change(resources.codecs.decode(file.jpeg.span.bytes, options: options))
                // From this quality on, three channels have their full resolution.
                let jpeg = try resources.codecs.encode(
                    changed, as: .jpeg, options: EncodeOptions(quality: 0.95))
                return GainMapFile(jpeg: jpeg, parameters: file.parameters)
            }
        } catch {
            switch error {
            case .timeLimitExceeded, .outOfMemory: throw error
            // The picture is sound without its map.
            default: return nil
            }
        }
    }
}
