import AlcedoRaster
import Foundation

/// Changes one after the other, made in a single pass over each frame.
///
/// Pixels that nobody else has are changed where they are.
struct PixelPipeline: Sendable {
    fileprivate struct Step {
        var change: PixelChange
        var scale: CGFloat
    }

    private var steps: [Step] = []

    /// Pixels to a point: of the next change, and of the image in the end.
    var scale: CGFloat

    /// No changes yet, of an image with so many pixels to a point.
    init(scale: CGFloat) { self.scale = scale }

    mutating func append(_ changes: [PixelChange]) {
        steps += changes.map { Step(change: $0, scale: scale) }
    }

    /// `image` with all frames changed; itself, but for the scale, if there is nothing to change.
    ///
    /// - Parameters:
    ///   - image: the image.
    ///   - isOurs: whether nobody else will ask it for its pixels, which then need not be kept.
    /// - Returns: the changed image.
    /// - Throws: ``CodecError`` if the image is damaged, or a change can't be made.
    func apply(to image: Image, isOurs: Bool) throws(CodecError) -> Image {
        let image = image.kf.scaled(to: scale)
        guard !steps.isEmpty else { return image }
        if image.frameCount > 1 {
            return try image.mapped { (bitmap) throws(CodecError) in try frame(bitmap).bitmap }
        }
        var rest = steps[...]
        while let step = rest.first, let size = try step.change.size(of: image, scale: step.scale) {
            rest.removeFirst()
            if size != image.pixelSize {
                // Decoded to no more than this takes.
                return Image(bitmap: try frame(image.pixels(resizedTo: size), rest).bitmap, scale: scale)
            }
        }
        if try Self.areIdle(rest, image.pixelSize) { return image }
        if isOurs {
            let result = try frame(image.bitmap(atLeast: image.pixelSize), rest)
            return result.isChanged ? Image(bitmap: result.bitmap, scale: scale) : image
        }
        let bitmap = try frame(image.bitmap(), rest).bitmap
        return bitmap === image.decodedBitmap ? image : Image(bitmap: bitmap, scale: scale)
    }

    /// Whether pixels of such a size stay as they are.
    private static func areIdle(_ steps: ArraySlice<Step>, _ size: PixelSize) throws(CodecError) -> Bool {
        for step in steps where !(try step.isIdle(size)) { return false }
        return true
    }

    private func frame(_ bitmap: consuming Bitmap) throws(CodecError) -> (bitmap: Bitmap, isChanged: Bool) {
        try frame(bitmap, steps[...])
    }

    private func frame(
        _ bitmap: consuming Bitmap,
        _ steps: ArraySlice<Step>
    ) throws(CodecError) -> (bitmap: Bitmap, isChanged: Bool) {
        var isChanged = false
        for step in steps where !(try step.isIdle(bitmap.size)) {
            bitmap = try step.apply(consume bitmap)
            isChanged = true
        }
        return (bitmap, isChanged)
    }
}

extension PixelPipeline.Step {
    /// Whether pixels of such a size stay as they are.
    fileprivate func isIdle(_ size: PixelSize) throws(CodecError) -> Bool {
        switch change {
        case .resize(let target): try target(size, scale) == size
        case .fit(let side): size.fitted(longerSide: side) == size
        case .edit(let isIdle, _): isIdle(size, scale)
        }
    }

    fileprivate func apply(_ bitmap: consuming Bitmap) throws(CodecError) -> Bitmap {
        switch change {
        case .resize(let target): try bitmap.resized(to: target(bitmap.size, scale))
        case .fit(let side): try bitmap.resized(to: bitmap.size.fitted(longerSide: side))
        case .edit(_, let body): try body(consume bitmap, scale)
        }
    }
}

extension Image {
    /// The image with changes made to all frames, at the same scale.
    func changed(by changes: PixelChange?...) throws(CodecError) -> Image {
        var pipeline = PixelPipeline(scale: scale)
        pipeline.append(changes.compactMap(\.self))
        return try pipeline.apply(to: self, isOurs: false)
    }
}
