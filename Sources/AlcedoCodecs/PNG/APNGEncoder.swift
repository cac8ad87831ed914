import AlcedoPixels

/// Encodes frames as an animated PNG with only the changed rectangle of each.
struct APNGEncoder {
    private struct Frame {
        var rect: FrameRect
        /// In milliseconds.
        var delay: Int
        /// The rectangle, encoded as a PNG.
        var file: [UInt8]
        var layout: PNGLayout
    }

    /// The largest integer of a PNG.
    private static let mostLoops = Int(Int32.max)

    /// For files of this encoder's.
    private static let unlimited = DecodeOptions {
        $0.keepsStraightAlpha = true
        $0.limits = DecodeLimits(
            pixelsPerFrame: .max, storedPixelsPerFrame: .max, encodedBytes: .max, seconds: .infinity)
    }

    private let size: PixelSize
    private var clock = FrameClock(unitsPerSecond: 1000, longest: 0xFFFF)
    private var frames: [Frame] = []
    private var colors = PNGColors()

    init(_ size: PixelSize) { self.size = size }

    mutating func encode(_ source: any FrameDecoder) throws(CodecError) -> [UInt8] {
        var canvas = try FramePixels(clear: size)
        while let frame = try source.next() {
            guard frame.bitmap.size == size else {
                throw .encodingFailed(.png, reason: "an animation needs frames of one size")
            }
            let pixels = try FramePixels(frame.bitmap)
            let rect = frames.isEmpty ? FrameRect(size) : pixels.difference(from: canvas) ?? .pixel
            let bitmap = try pixels.bitmap(of: rect)
            colors.add(bitmap)
            // What all frames have in common is known after the last.
            let layout = PNGColors(bitmap).plain
            let file = try PNGCodec().encode(bitmap, layout)
            frames.append(
                Frame(rect: rect, delay: clock.units(for: frame.duration), file: file, layout: layout))
            canvas = pixels
        }
        guard !frames.isEmpty else { throw .encodingFailed(.png, reason: "there are no frames") }
        var frames = try frames(in: colors.plain)
        if let packed = colors.packed(.straight) {
            let smaller = try self.frames(in: packed)
            if Self.byteCount(smaller) + packed.chunkBytes < Self.byteCount(frames) { frames = smaller }
        }
        return Self.assembled(frames, loopCount: source.info.loopCount)
    }

    /// The frames in one layout, which has room for the colours of all.
    private func frames(in layout: PNGLayout) throws(CodecError) -> [Frame] {
        var frames = frames
        for index in frames.indices where frames[index].layout != layout {
            let file = frames[index].file
            let bitmap = try PNGCodec().decode(file.span.bytes, options: Self.unlimited)
            frames[index].file = try PNGCodec().encode(bitmap, layout)
            frames[index].layout = layout
        }
        return frames
    }

    private static func byteCount(_ frames: [Frame]) -> Int {
        frames.reduce(0) { count, frame in
            count + imageData(of: frame.file).reduce(0) { $0 + $1.count }
        }
    }

    private static func assembled(_ frames: [Frame], loopCount: Int) -> [UInt8] {
        var output = PNGChunkWriter()
        output.add("IHDR", frames[0].file[16..<29])
        output.add("acTL", bytes(frames.count, min(loopCount, mostLoops))[...])
        for chunk in frames[0].layout.chunks { output.add(chunk.name, chunk.body[...]) }
        var number = 0
        for (index, frame) in frames.enumerated() {
            let rect = frame.rect
            var control = bytes(number, rect.width, rect.height, rect.left, rect.top)
            // The delay over 1000, then disposal 0 (keep) and blend 0 (replace).
            control += [UInt8(frame.delay >> 8), UInt8(frame.delay & 0xFF), 0x03, 0xE8, 0, 0]
            output.add("fcTL", control[...])
            number += 1
            for body in imageData(of: frame.file) {
                if index == 0 {
                    output.add("IDAT", frame.file[body])
                } else {
                    output.add("fdAT", bytes(number)[...], frame.file[body])
                    number += 1
                }
            }
        }
        output.add("IEND")
        return output.bytes
    }

    private static func bytes(_ numbers: Int...) -> [UInt8] {
        var bytes: [UInt8] = []
        for number in numbers { PNGChunkWriter.append(UInt32(clamping: number), to: &bytes) }
        return bytes
    }

    /// The bodies of the `IDAT` chunks of a valid PNG.
    private static func imageData(of file: [UInt8]) -> [Range<Int>] {
        var bodies: [Range<Int>] = []
        var offset = 8
        let bytes = file.span.bytes
        while let length = bytes.u32BE(offset) {
            if bytes.has("IDAT", at: offset + 4) { bodies.append((offset + 8)..<(offset + 8 + length)) }
            offset += 12 + length
        }
        return bodies
    }
}

extension FramePixels {
    /// A copy of a rectangle, with straight alpha.
    fileprivate func bitmap(of rect: FrameRect) throws(CodecError) -> Bitmap {
        var builder = try PixelBuilder(size: rect.size, alpha: .straight)
        builder.withUnsafeMutableBytes { output in
            guard let target = output.baseAddress?.assumingMemoryBound(to: UInt32.self) else { return }
            for y in 0..<rect.height {
                let from = base + (rect.top + y) * size.width + rect.left
                (target + y * rect.width).update(from: from, count: rect.width)
            }
        }
        return builder.freeze()
    }
}
