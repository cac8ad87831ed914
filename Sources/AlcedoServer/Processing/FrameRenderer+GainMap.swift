import Alcedo
import AlcedoCodecs
import AlcedoPixels
import AlcedoRaster
import Foundation

extension FrameRenderer {
    /// The gain map of an Ultra HDR JPEG for the result, of which it shows the same part.
    ///
    /// Nil without one that can be applied, and for a result that has more than the picture: padding and a watermark have no
    /// samples in the map. `source` is the JPEG, of which this value has chosen the smart parts; `inOwnSpace` is whether pixels
    /// of the result are in its own space.
    func gainMap(of source: EncodedImage, inOwnSpace: Bool) throws(CodecError) -> GainMapFile? {
        guard let map = source.gainMap, !map.needsColorSpace || inOwnSpace, !layout.isExtended,
            watermark == nil
        else { return nil }
        var plain = options
        (plain.blur, plain.sharpen, plain.pixelate, plain.background) = (0, 0, 1, nil)
        let renderer = FrameRenderer(
            layout: layout, turn: turn, region: region, stored: stored, options: plain, holdsAlpha: true,
            watermark: nil)
        let upright = turn.turned(map.size)
        let whole = turn.turned(stored)
        func side(_ length: Int, _ map: Int, _ picture: Int) -> Int {
            max(1, min(length, (length * map + picture / 2) / max(picture, 1)))
        }
        // As many samples for a pixel as in the source.
        let size = PixelSize(
            width: side(layout.result.width, upright.width, whole.width),
            height: side(layout.result.height, upright.height, whole.height))
        return try source.edited(map, reserving: renderer.workingBytes) { samples throws(CodecError) in
            try renderer.render(samples, extent: (Double(samples.width), Double(samples.height)))
                .resized(to: size)
        }
    }
}
