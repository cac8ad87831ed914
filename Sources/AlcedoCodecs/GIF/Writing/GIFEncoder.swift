import AlcedoPixels

/// Encodes frames as a GIF with only the changed rectangle of each.
///
/// Up to 256 colours of a frame are kept; more are quantised per frame. Alpha of at least 128 is opaque, less is clear.
final class GIFEncoder {
    private let isDithered: Bool
    private let size: PixelSize
    private var clock = FrameClock(unitsPerSecond: 100, longest: 0xFFFF)
    /// The palette indices and the pixels of the current frame; unchanged pixels are clear.
    private let indices: UnsafeMutablePointer<UInt8>
    private let drawn: FramePixels

    init(_ size: PixelSize, options: EncodeOptions) throws(CodecError) {
        guard size.width <= 0xFFFF, size.height <= 0xFFFF else {
            throw .encodingFailed(.gif, reason: "\(size) is over 65535 pixels a side")
        }
        self.size = size
        isDithered = options.isDithered
        drawn = try FramePixels(clear: size)
        indices = try PixelMemory.allocate(byteCount: size.area).assumingMemoryBound(to: UInt8.self)
    }

    deinit { PixelMemory.free(indices) }

    func encode(_ frames: any FrameDecoder) throws(CodecError) -> [UInt8] {
        guard var frame = try next(frames) else {
            throw .encodingFailed(.gif, reason: "there are no frames")
        }
        var canvas = try FramePixels(clear: size)
        var rect = FrameRect(size)
        collect(frame.pixels, in: rect, over: canvas)
        var colors = assignColors(to: rect)
        let global = colors
        var writer = try GIFWriter()
        try writer.start(size, globalColors: global.colors, loopCount: frames.info.loopCount)
        while true {
            let following = try next(frames)
            // Pixels become clear only by disposing of the frame before.
            let isCleared = following.map { frame.pixels.isCleared(by: $0.pixels) } ?? false
            if isCleared, rect != FrameRect(size) {
                rect = FrameRect(size)
                collect(frame.pixels, in: rect, over: canvas)
                colors = assignColors(to: rect)
            }
            try writer.put(
                GIFWriter.Frame(
                    rect: rect,
                    colors: colors.colors == global.colors ? nil : colors.colors,
                    transparent: colors.transparent,
                    disposal: isCleared ? GIFFrameControl.restoreBackground : GIFFrameControl.keep,
                    delay: clock.units(for: frame.duration)
                ),
                pixels: indices
            )
            guard let following else { break }
            canvas = isCleared ? try FramePixels(clear: size) : frame.pixels
            frame = following
            rect = frame.pixels.difference(from: canvas) ?? .pixel
            collect(frame.pixels, in: rect, over: canvas)
            colors = assignColors(to: rect, preferring: global)
        }
        return writer.finish()
    }

    private struct Colors {
        var colors: [UInt32]
        var transparent: Int?
    }

    private func next(
        _ frames: any FrameDecoder
    ) throws(CodecError) -> (pixels: FramePixels, duration: Double)? {
        guard let frame = try frames.next() else { return nil }
        guard frame.bitmap.size == size else {
            throw .encodingFailed(.gif, reason: "an animation needs frames of one size")
        }
        let pixels = try FramePixels(frame.bitmap)
        pixels.dropTranslucency()
        return (pixels, frame.duration)
    }

    /// Copies `rect` of `pixels` to `drawn`, packed; pixels that equal `canvas` become clear.
    private func collect(_ pixels: FramePixels, in rect: FrameRect, over canvas: FramePixels) {
        for y in 0..<rect.height {
            let offset = (rect.top + y) * size.width + rect.left
            let from = pixels.base + offset
            let below = canvas.base + offset
            let to = drawn.base + y * rect.width
            for x in 0..<rect.width { to[x] = from[x] == below[x] ? 0 : from[x] }
        }
    }

    /// Chooses a palette for the first `rect.size.area` pixels of `drawn` and writes their indices.
    private func assignColors(to rect: FrameRect, preferring global: Colors? = nil) -> Colors {
        let count = rect.size.area
        if let global, assign(count, exactly: ExactPalette(of: global.colors), global.transparent) != nil {
            return global
        }
        var hasClear = false
        for index in 0..<count where drawn.base[index] == 0 {
            hasClear = true
            break
        }
        let limit = hasClear ? 255 : 256
        if let colors = assign(count, exactly: ExactPalette(limit: limit), hasClear ? limit : nil) {
            // The transparent index is the last one, so that it does not shift the others.
            if hasClear { replaceIndex(count, from: UInt8(limit), to: UInt8(colors.count)) }
            return Colors(
                colors: colors + (hasClear ? [0] : []),
                transparent: hasClear ? colors.count : nil
            )
        }
        var histogram = ColorHistogram()
        histogram.add(drawn.base, count: count)
        let palette = PaletteMaker.palette(for: histogram, limit: limit)
        let dithering = Dithering(palette, isOn: isDithered)
        let clear = palette.colors.count
        dithering.assign(
            drawn.base,
            rect.size,
            clear: UInt8(truncatingIfNeeded: clear),
            to: indices
        )
        return Colors(
            colors: palette.colors + (hasClear ? [0] : []),
            transparent: hasClear ? clear : nil
        )
    }

    /// Writes the index of each pixel's exact colour; nil if `palette` does not contain all of them.
    private func assign(_ count: Int, exactly palette: ExactPalette, _ clear: Int?) -> [UInt32]? {
        var palette = palette
        var last: UInt32 = 0
        var lastIndex: UInt8 = 0
        for index in 0..<count {
            let pixel = drawn.base[index]
            if pixel == 0 {
                guard let clear else { return nil }
                indices[index] = UInt8(clear)
            } else if pixel == last {
                indices[index] = lastIndex
            } else {
                guard let paletteIndex = palette.index(of: pixel) else { return nil }
                last = pixel
                lastIndex = UInt8(paletteIndex)
                indices[index] = lastIndex
            }
        }
        return palette.colors
    }

    private func replaceIndex(_ count: Int, from old: UInt8, to new: UInt8) {
        for index in 0..<count where indices[index] == old { indices[index] = new }
    }
}
