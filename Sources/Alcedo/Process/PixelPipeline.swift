import AlcedoRaster
import Foundation

/// A sequence of changes, applied to each frame in one pass.
///
/// A uniquely referenced bitmap is edited in place.
struct PixelPipeline: Sendable {
    fileprivate struct Step {
        var change: PixelChange
        var scale: CGFloat
        /// The processor of the change.
        var name: String
    }

    private var steps: [Step] = []

    /// The scale in pixels per point, for changes that are appended next and for the final image.
    var scale: CGFloat

    init(scale: CGFloat) { self.scale = scale }

    /// Adds the changes of the processor `name`.
    mutating func append(_ changes: [PixelChange], of name: String) {
        steps += changes.map { Step(change: $0, scale: scale, name: name) }
    }

    /// Applies the changes to all frames of `image`; only sets the scale if nothing changes.
    ///
    /// With `isUnshared`, the pipeline has the only reference to the image, so its bitmap need not be kept.
    func apply(to image: Image, isUnshared: Bool) throws(CodecError) -> Image {
        let image = image.kf.scaled(to: scale)
        guard !steps.isEmpty else { return image }
        if image.frameCount > 1 {
            let steps = try placed(by: image)
            return try image.mapped { (bitmap) throws(CodecError) in try frame(bitmap, steps[...]).bitmap }
        }
        var remaining = steps[...]
        while let step = remaining.first, let size = try step.change.size(of: image, scale: step.scale) {
            remaining.removeFirst()
            if size != image.pixelSize {
                // Decodes at a reduced size if possible.
                return Image(
                    bitmap: try frame(image.pixels(resizedTo: size), remaining).bitmap, scale: scale)
            }
        }
        if try Self.areNoOps(remaining, image.pixelSize) { return image }
        if isUnshared {
            let result = try frame(image.bitmap(atLeast: image.pixelSize), remaining)
            return result.isChanged ? Image(bitmap: result.bitmap, scale: scale) : image
        }
        let bitmap = try frame(image.bitmap(), remaining).bitmap
        return bitmap === image.decodedBitmap ? image : Image(bitmap: bitmap, scale: scale)
    }

    /// Whether none of the steps changes a bitmap of this size.
    private static func areNoOps(_ steps: ArraySlice<Step>, _ size: PixelSize) throws(CodecError) -> Bool {
        for step in steps where !(try step.isNoOp(size)) { return false }
        return true
    }

    /// The steps, with crops where the first frame of an animation matters most, so that no frame jumps.
    private func placed(by image: Image) throws(CodecError) -> [Step] {
        guard steps.contains(where: \.change.isSmart) else { return steps }
        var placed: [Step] = []
        var first = try image.bitmap()
        for var step in steps {
            if case .smartCrop(let part) = step.change {
                step.change = .crop(to: try PixelChange.smartFrame(of: part, in: first, step.scale))
            }
            if !(try step.isNoOp(first.size)) { first = try step.apply(first) }
            placed.append(step)
        }
        return placed
    }

    private func frame(
        _ bitmap: consuming Bitmap,
        _ steps: ArraySlice<Step>
    ) throws(CodecError) -> (bitmap: Bitmap, isChanged: Bool) {
        var isChanged = false
        for step in steps where !(try step.isNoOp(bitmap.size)) {
            bitmap = try step.apply(consume bitmap)
            isChanged = true
        }
        return (bitmap, isChanged)
    }
}

extension PixelPipeline.Step {
    fileprivate func isNoOp(_ size: PixelSize) throws(CodecError) -> Bool {
        switch change {
        case .resize(let target): try target(size, scale) == size
        case .fit(let side): size.fitted(longerSide: side) == size
        case .edit(let isNoOp, _, _): isNoOp(size, scale)
        case .smartCrop(let part): PixelChange.frame(of: part, in: size, scale)?.size == size
        }
    }

    fileprivate func apply(_ bitmap: consuming Bitmap) throws(CodecError) -> Bitmap {
        switch change {
        case .resize(let target): return try bitmap.resized(to: target(bitmap.size, scale))
        case .fit(let side): return try bitmap.resized(to: bitmap.size.fitted(longerSide: side))
        case .smartCrop(let part):
            let frame = try PixelChange.smartFrame(of: part, in: bitmap, scale)
            return try bitmap.cropped(x: frame.x, y: frame.y, width: frame.width, height: frame.height)
        case .edit(_, let keepsDepth, let body):
            let isDeep = bitmap.isDeep
            if !keepsDepth { bitmap = try bitmap.standard() }
            let result = try body(consume bitmap, scale)
            if isDeep, !result.isDeep { ReducingSteps.report(name) }
            return result
        }
    }
}

extension PixelChange {
    fileprivate var isSmart: Bool { if case .smartCrop = self { true } else { false } }
}

extension Image {
    /// Applies changes to all frames, at the same scale; `name` is that of the function that does.
    func changed(by changes: PixelChange?..., name: String = #function) throws(CodecError) -> Image {
        var pipeline = PixelPipeline(scale: scale)
        pipeline.append(changes.compactMap(\.self), of: name)
        return try pipeline.apply(to: self, isUnshared: false)
    }
}
