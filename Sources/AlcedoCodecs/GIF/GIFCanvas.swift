import AlcedoPixels

/// Composes the frames of a GIF, each over the disposed frames before it.
struct GIFCanvas: ~Copyable {
    /// The background of a frame; transparent at first.
    fileprivate struct Background {
        var bitmap: Bitmap?
        /// A frame whose rectangle was cleared.
        var cleared: GIFFrame?
    }

    private let size: PixelSize
    private var background = Background()
    private var codes = LZWDecoder()
    private let colors = UnsafeMutablePointer<UInt32>.allocate(capacity: 256)

    /// `size` must have passed the limits.
    init(_ size: PixelSize) { self.size = size }

    deinit { colors.deallocate() }

    /// Makes everything transparent.
    mutating func reset() { background = Background() }

    /// Draws the frame whose header `reader` has read, and disposes of it for the next one.
    mutating func draw(
        _ frame: GIFFrame,
        _ control: GIFFrameControl,
        from reader: inout GIFReader,
        options: DecodeOptions
    ) throws(CodecError) -> Bitmap {
        var builder = try PixelBuilder(size: size, alpha: .opaque)
        var isOpaque = false
        if frame.isEmpty {
            try reader.skipData()
        } else {
            try reader.readColors(of: frame, into: colors, transparent: control.transparent)
            isOpaque = !(0..<min(256, 1 << frame.codeSize)).contains { colors[$0] == 0 }
        }
        // Over an empty background, an index without a colour makes a pixel transparent too.
        let replaces = frame.covers(size) && (isOpaque || background.bitmap == nil)
        isOpaque = try builder.withUnsafeMutableBytes { output throws(CodecError) in
            let rows = PixelRows(output, size)
            if !replaces { background.lay(on: rows) }
            if !frame.isEmpty {
                let deadline = Deadline(options.limits)
                try draw(frame, on: rows, replacing: replaces || isOpaque, from: reader, deadline)
                try reader.skipData(from: codes.nextBlock)
            }
            return replaces && isOpaque || rows.isOpaque
        }
        if !isOpaque { builder.alpha = options.keepsStraightAlpha ? .straight : .premultiplied }
        let bitmap = builder.freeze()
        switch control.disposal {
        case GIFFrameControl.restorePrevious: break
        case GIFFrameControl.restoreBackground: background = Background(bitmap: bitmap, cleared: frame)
        default: background = Background(bitmap: bitmap)
        }
        return bitmap
    }

    /// An interlacing pass: every `step`th row from `start` on.
    private struct Pass {
        var start: Int
        var step: Int
    }

    private static let progressive = [Pass(start: 0, step: 1)]
    private static let interlaced = [
        Pass(start: 0, step: 8), Pass(start: 4, step: 8), Pass(start: 2, step: 4), Pass(start: 1, step: 2),
    ]

    /// Draws the frame's pixels; with `replacing`, transparent ones too.
    private mutating func draw(
        _ frame: GIFFrame,
        on rows: PixelRows,
        replacing: Bool,
        from reader: GIFReader,
        _ deadline: Deadline
    ) throws(CodecError) {
        try reader.start(&codes, frame)
        guard let indices = codes.decoded else { return }
        let clip = frame.clipped(to: size)
        let step = Deadline.rows(of: frame.width)
        var stored = 0
        for pass in frame.isInterlaced ? Self.interlaced : Self.progressive {
            for y in stride(from: pass.start, to: frame.height, by: pass.step) {
                if stored % step == 0 {
                    try deadline.check()
                    try codes.decode(min(stored + step, frame.height) * frame.width)
                }
                if frame.top + y < size.height {
                    let target = rows.row(frame.top + y).base + clip.columns.lowerBound
                    put(indices + stored * frame.width, at: target, clip.columns.count, replacing: replacing)
                }
                stored += 1
            }
        }
    }

    private func put(
        _ indices: UnsafePointer<UInt8>,
        at target: UnsafeMutablePointer<UInt32>,
        _ count: Int,
        replacing: Bool
    ) {
        if replacing {
            for x in 0..<count { target[x] = colors[Int(indices[x])] }
        } else {
            for x in 0..<count {
                let color = colors[Int(indices[x])]
                if color != 0 { target[x] = color }
            }
        }
    }
}

extension GIFCanvas.Background {
    fileprivate func lay(on rows: PixelRows) {
        guard let bitmap else { return rows.base.update(repeating: 0, count: rows.size.area) }
        bitmap.withUnsafeBytes { pixels in
            guard let start = pixels.baseAddress else { return }
            UnsafeMutableRawPointer(rows.base).copyMemory(from: start, byteCount: pixels.count)
        }
        guard let clip = cleared?.clipped(to: rows.size), !clip.columns.isEmpty else { return }
        for y in clip.rows {
            (rows.row(y).base + clip.columns.lowerBound).update(repeating: 0, count: clip.columns.count)
        }
    }
}
