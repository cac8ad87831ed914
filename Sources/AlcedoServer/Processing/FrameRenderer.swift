import Alcedo
import AlcedoCodecs
import AlcedoPixels
import AlcedoRaster
import Foundation

/// Turns decoded pixels into those of the result.
struct FrameRenderer {
    private(set) var layout: ImageLayout
    let turn: StoredTurn

    /// The part of the stored pixels that a trim has left.
    let region: PixelFrame

    /// The size of all stored pixels.
    let stored: PixelSize

    let options: ProcessingOptions

    /// Whether the result's format holds alpha.
    let holdsAlpha: Bool

    let watermark: WatermarkPainter?

    init(
        layout: ImageLayout, turn: StoredTurn, region: PixelFrame, stored: PixelSize,
        options: ProcessingOptions,
        holdsAlpha: Bool, watermark: WatermarkPainter?
    ) {
        (self.layout, self.turn, self.region, self.stored) = (layout, turn, region, stored)
        (self.options, self.holdsAlpha, self.watermark) = (options, holdsAlpha, watermark)
    }

    /// The smallest stored size that is worth decoding; nil for full size.
    ///
    /// Twice what is needed, because reduced decoding averages coarsely; a vector image is drawn at the size itself.
    func decodedSize(isVector: Bool) -> PixelSize? {
        guard region.size == stored else { return nil }
        let scale = PixelRect(
            x: 0, y: 0, width: Double(layout.scaled.width) / Double(layout.crop.width),
            height: Double(layout.scaled.height) / Double(layout.crop.height))
        let (across, down) =
            turn.orientation.swapsSides ? (scale.height, scale.width) : (scale.width, scale.height)
        func side(_ full: Int, _ factor: Double) -> Int {
            let side = Double(full) * factor * (isVector ? 1 : 2)
            return max(
                1, Int(min(side, Double(Int32.max)).rounded(isVector ? .toNearestOrAwayFromZero : .up)))
        }
        let size = PixelSize(width: side(stored.width, across), height: side(stored.height, down))
        return isVector || size.width < stored.width && size.height < stored.height ? size : nil
    }

    /// Bytes of the pixels between the decoded ones and the result.
    var workingBytes: Int {
        let largest = max(layout.cut.size.area, layout.canvas.area, layout.result.area)
        let (bytes, overflow) = largest.multipliedReportingOverflow(by: 12)
        return overflow ? .max : bytes
    }

    /// Chooses the parts that depend on the pixels; for an animation by its first frame.
    mutating func chooseSmartParts(in bitmap: Bitmap, extent: (width: Double, height: Double))
        throws(CodecError)
    {
        let whole = turn.turned(region.size)
        if layout.cropIsSmart {
            let frame = try smartFrame(
                of: PixelFrame(width: whole.width, height: whole.height), bitmap, extent)
            let origin = frame.origin(of: layout.crop.size, in: whole)
            (layout.crop.x, layout.crop.y, layout.cropIsSmart) = (origin.x, origin.y, false)
        }
        if layout.cutIsSmart {
            let frame = try smartFrame(of: layout.crop, bitmap, extent)
            let origin = frame.origin(of: layout.cut.size, in: layout.scaled)
            (layout.cut.x, layout.cut.y, layout.cutIsSmart) = (origin.x, origin.y, false)
        }
    }

    private func smartFrame(
        of part: PixelFrame, _ bitmap: Bitmap, _ extent: (width: Double, height: Double)
    ) throws(CodecError) -> SmartFrame {
        let rectangle = PixelRect(part)
        let longer = max(part.width, part.height, SmartFrame.side)
        let small = PixelSize(
            width: max(1, part.width * SmartFrame.side / longer),
            height: max(1, part.height * SmartFrame.side / longer))
        return try SmartFrame(
            bitmap.resized(to: turn.turned(small), showing: place(of: rectangle, extent))
                .oriented(turn.orientation))
    }

    /// The pixels of the result.
    ///
    /// - Parameters:
    ///   - bitmap: as stored, at any size.
    ///   - extent: the width and height of the image in it.
    /// - Returns: upright, at the size of the result.
    /// - Throws: if memory runs out.
    func render(_ bitmap: Bitmap, extent: (width: Double, height: Double)) throws(CodecError) -> Bitmap {
        var result = try scaled(bitmap, extent).oriented(turn.orientation)
        result = try result.blurred(sigma: options.blur)
        result = try result.sharpened(sigma: options.sharpen)
        result = try result.pixelated(side: options.pixelate)
        result = try result.placed(at: layout.origin, in: layout.canvas, background: options.background)
        if let background = options.background ?? (holdsAlpha ? nil : .white) {
            result = try result.flattened(onto: background.rasterColor)
        }
        if let watermark { result = try watermark.paint(on: result, dpr: layout.dpr) }
        return try result.resized(to: layout.result)
    }

    /// The part that shows, at the size it has in the result, as it is stored.
    private func scaled(_ bitmap: Bitmap, _ extent: (width: Double, height: Double)) throws(CodecError)
        -> Bitmap
    {
        let (crop, cut) = (layout.crop, layout.cut)
        let scaleX = Double(crop.width) / Double(layout.scaled.width)
        let scaleY = Double(crop.height) / Double(layout.scaled.height)
        let part = place(
            of: PixelRect(
                x: Double(crop.x) + Double(cut.x) * scaleX, y: Double(crop.y) + Double(cut.y) * scaleY,
                width: Double(cut.width) * scaleX, height: Double(cut.height) * scaleY), extent)
        let size = turn.turned(cut.size)
        if part.width == Double(size.width), part.height == Double(size.height),
            part.x == part.x.rounded(), part.y == part.y.rounded()
        {
            return try bitmap.cropped(
                x: Int(part.x), y: Int(part.y), width: size.width, height: size.height)
        }
        // What a crop or a trim has removed must not shine through at the edges.
        let kept = place(of: PixelRect(crop), extent)
        let left = max(0, Int(kept.x.rounded(.down))), top = max(0, Int(kept.y.rounded(.down)))
        let right = min(bitmap.width, Int((kept.x + kept.width).rounded(.up)))
        let bottom = min(bitmap.height, Int((kept.y + kept.height).rounded(.up)))
        guard left < right, top < bottom else { return try bitmap.resized(to: size, showing: part) }
        let inner = try bitmap.cropped(x: left, y: top, width: right - left, height: bottom - top)
        return try inner.resized(
            to: size,
            showing: PixelRect(
                x: part.x - Double(left), y: part.y - Double(top), width: part.width, height: part.height)
        )
    }

    /// Where a turned rectangle of ``region`` lies in a bitmap.
    private func place(of turned: PixelRect, _ extent: (width: Double, height: Double)) -> PixelRect {
        let whole = turn.turned(region.size)
        let inRegion = turn.stored(turned, in: (Double(whole.width), Double(whole.height)))
        let scaleX = extent.width / Double(stored.width)
        let scaleY = extent.height / Double(stored.height)
        return PixelRect(
            x: (inRegion.x + Double(region.x)) * scaleX, y: (inRegion.y + Double(region.y)) * scaleY,
            width: inRegion.width * scaleX, height: inRegion.height * scaleY)
    }
}

extension PixelRect {
    init(_ frame: PixelFrame) {
        self.init(
            x: Double(frame.x), y: Double(frame.y), width: Double(frame.width),
            height: Double(frame.height))
    }
}

extension RGBColor {
    static let white = RGBColor(red: 255, green: 255, blue: 255)

    var rasterColor: RasterColor {
        RasterColor(red: Double(red) / 255, green: Double(green) / 255, blue: Double(blue) / 255)
    }
}

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
