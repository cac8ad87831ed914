import AlcedoCodecs
import AlcedoPixels
import AlcedoRaster
import Foundation

extension EncodedImage {
    /// The gain map of an Ultra HDR JPEG for a picture that is made of all of it, upright, in another size.
    ///
    /// Nil without a map that can be applied, for pixels that have its light or are not in the space that it needs. It is not
    /// enlarged.
    func gainMap(for size: PixelSize) throws(CodecError) -> GainMapFile? {
        guard limits.colorRetention != .hdr, let map = gainMap,
            !map.needsColorSpace || limits.colorRetention == .full
        else { return nil }
        let file = GainMapFile(map, in: data.bytes)
        let (whole, full) = (info.orientation.upright(map.size), info.uprightSize)
        func side(_ length: Int, _ new: Int, _ old: Int) -> Int {
            min(length, max(1, (length * new + old / 2) / max(old, 1)))
        }
        let target = PixelSize(
            width: side(whole.width, size.width, full.width),
            height: side(whole.height, size.height, full.height))
        guard info.orientation != .up || target != whole else { return file }
        return try edited(file, map.size) { samples throws(CodecError) in
            try samples.oriented(info.orientation).resized(to: target)
        }
    }

    /// The gain map of an Ultra HDR JPEG; nil for other images.
    package var gainMap: JPEGGainMap? {
        info.format == .jpeg ? JPEGGainMap(data.bytes, limits: limits) : nil
    }

    /// A gain map whose samples, as they are stored, `change` has changed.
    package func edited(
        _ file: GainMapFile, _ size: PixelSize, change: (Bitmap) throws(CodecError) -> Bitmap
    ) throws(CodecError) -> GainMapFile {
        let options = DecodeOptions { $0.limits = limits }.inStandardColor
        // The samples, and what they become.
        return try resources.budget.withReservation(of: size.area * 16) { () throws(CodecError) in
            let changed = try change(resources.codecs.decode(file.jpeg.span.bytes, options: options))
            var file = file
            // From this quality on, three channels have their full resolution.
            file.jpeg = try resources.codecs.encode(changed, as: .jpeg, options: EncodeOptions(quality: 0.95))
            return file
        }
    }
}
