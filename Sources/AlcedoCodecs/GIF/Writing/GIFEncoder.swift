import AlcedoPixels

/// Encodes frames as a GIF with only the changed rectangle of each.
///
/// Up to 256 colours of a frame are kept; more are quantised per frame. Alpha of at least 128 is opaque, less is clear.
final class GIFEncoder {
    private let isDithered: Bool
    private let size: PixelSize
    private var clock = FrameClock(unitsPerSecond: 100, longest: 0xFFFF)
    /// Colour numbers of the frame that is being written, and its pixels, of which unchanged ones are clear.
    private let numbers: UnsafeMutablePointer<UInt8>
    private let drawn: FramePixels

    init(_ size: PixelSize, options: EncodeOptions) throws(CodecError) {
        guard size.width <= 0xFFFF, size.height <= 0xFFFF else {
            throw .encodingFailed(.gif, reason: "\(size) is over 65535 pixels a side")
        }
        self.size = size
        isDithered = options.isDithered
        drawn = try FramePixels(clear: size)
        numbers = try PixelMemory.allocate(byteCount: size.area).assumingMemoryBound(to: UInt8.self)
    }

    deinit { PixelMemory.free(numbers) }

    /// Writes all that `frames` gives.
    func encode(_ frames: any FrameDecoder) throws(CodecError) -> [UInt8] {
        guard var frame = try next(frames) else {
            throw .encodingFailed(.gif, reason: "there are no frames")
        }
        var canvas = try FramePixels(clear: size)
        var rect = FrameRect(size)
        collect(frame.pixels, in: rect, besides: canvas)
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
                collect(frame.pixels, in: rect, besides: canvas)
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
                pixels: numbers
            )
            guard let following else { break }
            canvas = isCleared ? try FramePixels(clear: size) : frame.pixels
            frame = following
            rect = frame.pixels.difference(from: canvas) ?? .pixel
            collect(frame.pixels, in: rect, besides: canvas)
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

    /// Copies `rect` of `pixels` to `drawn`, packed, with clear pixels where `canvas` has the same already.
    private func collect(_ pixels: FramePixels, in rect: FrameRect, besides canvas: FramePixels) {
        for y in 0..<rect.height {
            let offset = (rect.top + y) * size.width + rect.left
            let from = pixels.base + offset
            let below = canvas.base + offset
            let to = drawn.base + y * rect.width
            for x in 0..<rect.width { to[x] = from[x] == below[x] ? 0 : from[x] }
        }
    }

    /// Finds colours for the first pixels of `drawn` and writes their numbers.
    private func assignColors(to rect: FrameRect, preferring global: Colors? = nil) -> Colors {
        let count = rect.size.area
        if let global, assign(count, exactly: ColorCensus(of: global.colors), global.transparent) != nil {
            return global
        }
        var hasClear = false
        for index in 0..<count where drawn.base[index] == 0 {
            hasClear = true
            break
        }
        let limit = hasClear ? 255 : 256
        if let colors = assign(count, exactly: ColorCensus(limit: limit), hasClear ? limit : nil) {
            // The transparent colour comes last, so that it does not move the others.
            if hasClear { renumber(count, from: UInt8(limit), to: UInt8(colors.count)) }
            return Colors(
                colors: colors + (hasClear ? [0] : []),
                transparent: hasClear ? colors.count : nil
            )
        }
        var histogram = ColorHistogram()
        histogram.add(drawn.base, count: count)
        let palette = PaletteMaker.palette(for: histogram, limit: limit)
        var dithering = Dithering(palette, isOn: isDithered)
        let clear = palette.colors.count
        dithering.assign(
            drawn.base,
            rect.size,
            clear: UInt8(truncatingIfNeeded: clear),
            to: numbers
        )
        return Colors(
            colors: palette.colors + (hasClear ? [0] : []),
            transparent: hasClear ? clear : nil
        )
    }

    /// Numbers each pixel's own colour; nil if `census` does not hold all of them.
    private func assign(_ count: Int, exactly census: ColorCensus, _ clear: Int?) -> [UInt32]? {
        var census = census
        var last: UInt32 = 0
        var lastNumber: UInt8 = 0
        for index in 0..<count {
            let pixel = drawn.base[index]
            if pixel == 0 {
                guard let clear else { return nil }
                numbers[index] = UInt8(clear)
            } else if pixel == last {
                numbers[index] = lastNumber
            } else {
                guard let number = census.number(of: pixel) else { return nil }
                last = pixel
                lastNumber = UInt8(number)
                numbers[index] = lastNumber
            }
        }
        return census.colors
    }

    private func renumber(_ count: Int, from old: UInt8, to new: UInt8) {
        for index in 0..<count where numbers[index] == old { numbers[index] = new }
    }
}
