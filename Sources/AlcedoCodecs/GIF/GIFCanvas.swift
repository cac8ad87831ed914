import AlcedoPixels

/// The pixels that the frames of a GIF are drawn on, BGRA, at first transparent.
final class GIFCanvas {
    private let size: PixelSize
    private let pixels: UnsafeMutablePointer<UInt32>
    /// What to go back to when the last frame is taken away.
    private var saved: UnsafeMutablePointer<UInt32>?
    private var last: (rect: GIFFrameRect, disposal: Int)?

    /// `size` must have passed the limits.
    init(_ size: PixelSize) throws(CodecError) {
        self.size = size
        pixels = try Self.allocate(size)
        pixels.initialize(repeating: 0, count: size.area)
    }

    deinit {
        PixelMemory.free(pixels)
        if let saved { PixelMemory.free(saved) }
    }

    private static func allocate(_ size: PixelSize) throws(CodecError) -> UnsafeMutablePointer<UInt32> {
        try PixelMemory.allocate(byteCount: size.area * 4).assumingMemoryBound(to: UInt32.self)
    }

    /// Makes everything transparent.
    func reset() {
        last = nil
        pixels.update(repeating: 0, count: size.area)
    }

    /// Takes the last frame away as it asked to be, then draws the one whose header `reader` has read.
    func draw(
        _ rect: GIFFrameRect,
        _ control: GIFFrameControl,
        from reader: borrowing GIFReader,
        until deadline: Deadline
    ) throws(CodecError) {
        disposeOfLast()
        if control.disposal == GIFFrameControl.restorePrevious {
            let copy = if let saved { saved } else { try Self.allocate(size) }
            copy.update(from: pixels, count: size.area)
            saved = copy
        }
        last = (rect, control.disposal)
        guard rect.width > 0, rect.height > 0 else { return try reader.skipRows() }

        let colors = UnsafeMutablePointer<UInt32>.allocate(capacity: 256)
        let row = UnsafeMutablePointer<UInt8>.allocate(capacity: rect.width)
        defer {
            colors.deallocate()
            row.deallocate()
        }
        try reader.readColors(into: colors, transparent: control.transparent)
        let step = Deadline.rows(of: rect.width)
        var decoded = 0
        for pass in rect.isInterlaced ? Self.interlaced : Self.progressive {
            for y in stride(from: pass.start, to: rect.height, by: pass.step) {
                if decoded % step == 0 { try deadline.check() }
                decoded += 1
                try reader.readRow(into: row, width: rect.width)
                put(row, at: rect, y: rect.top + y, colors)
            }
        }
    }

    /// A copy of the canvas.
    func snapshot(keepsStraightAlpha: Bool) throws(CodecError) -> Bitmap {
        var builder = try PixelBuilder(size: size, alpha: .opaque)
        let isOpaque = builder.withUnsafeMutableBytes { output in
            output.copyMemory(from: UnsafeRawBufferPointer(start: pixels, count: output.count))
            return PixelRows(output, size).isOpaque
        }
        if !isOpaque { builder.alpha = keepsStraightAlpha ? .straight : .premultiplied }
        return builder.freeze()
    }

    /// Every `step`th row from `start` on.
    private struct Pass {
        var start: Int
        var step: Int
    }

    private static let progressive = [Pass(start: 0, step: 1)]
    private static let interlaced = [
        Pass(start: 0, step: 8), Pass(start: 4, step: 8), Pass(start: 2, step: 4), Pass(start: 1, step: 2),
    ]

    private func put(
        _ row: UnsafePointer<UInt8>,
        at rect: GIFFrameRect,
        y: Int,
        _ colors: UnsafePointer<UInt32>
    ) {
        guard y < size.height, rect.left < size.width else { return }
        let target = pixels + y * size.width + rect.left
        for x in 0..<min(rect.width, size.width - rect.left) {
            let color = colors[Int(row[x])]
            if color != 0 { target[x] = color }
        }
    }

    private func disposeOfLast() {
        guard let last else { return }
        self.last = nil
        if last.disposal == GIFFrameControl.restorePrevious, let saved {
            pixels.update(from: saved, count: size.area)
        } else if last.disposal == GIFFrameControl.restoreBackground {
            let width = min(last.rect.width, size.width - last.rect.left)
            guard width > 0, last.rect.top < size.height else { return }
            for y in last.rect.top..<min(last.rect.top + last.rect.height, size.height) {
                (pixels + y * size.width + last.rect.left).update(repeating: 0, count: width)
            }
        }
    }
}
