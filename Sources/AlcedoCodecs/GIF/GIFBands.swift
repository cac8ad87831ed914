import AlcedoPixels

/// Decodes the rows of a still GIF in bands, for an image that is too large to be decoded whole.
///
/// Needs a byte for each pixel, which the LZW decoder keeps.
final class GIFBands: FrameDecoder {
    let info: ImageInfo

    private let bytes: EncodedBytes
    private let options: DecodeOptions
    private let frame: GIFFrame
    private var reader: GIFReader
    private var codes = LZWDecoder()
    private let colors: UnsafeMutablePointer<UInt32>
    private var nextRow = 0
    private var decodedRows = 0
    private var failure: CodecError?

    /// Keeps `bytes`; `info` must have passed the limits and has one frame.
    init(_ bytes: EncodedBytes, info: ImageInfo, options: DecodeOptions) throws(CodecError) {
        self.bytes = bytes
        self.info = info
        self.options = options
        reader = try GIFReader(bytes.buffer)
        guard let (frame, control) = try reader.next() else {
            throw .corrupt(.gif, reason: "it has no frames")
        }
        self.frame = frame
        // Last: `deinit` frees it after an error from here on, but not before all properties are set.
        colors = .allocate(capacity: 256)
        colors.initialize(repeating: 0, count: 256)
        let stored = PixelSize(width: frame.width, height: frame.height)
        try options.limits.check(
            reducing: stored, in: stored.area + BitmapBands.byteCount(for: info.size))
        guard !frame.isEmpty else { return }
        try reader.readColors(of: frame, into: colors, transparent: control.transparent)
        try reader.start(&codes, frame)
    }

    deinit { colors.deallocate() }

    func next() throws(CodecError) -> AnimationFrame? {
        if let failure { throw failure }
        guard nextRow < info.size.height else { return nil }
        do throws(CodecError) {
            return AnimationFrame(bitmap: try readBand(), duration: 0)
        } catch {
            failure = error
            throw error
        }
    }

    /// The indices stay decoded.
    func rewind() { nextRow = 0 }

    private func readBand() throws(CodecError) -> Bitmap {
        let height = min(BitmapBands.height(for: info.size, options.limits), info.size.height - nextRow)
        let size = PixelSize(width: info.size.width, height: height)
        let columns = frame.clipped(to: info.size).columns
        let deadline = Deadline(options.limits)
        var pixels = try PixelBuilder(size: size, alpha: .opaque)
        let isOpaque = try pixels.withUnsafeMutableBytes { output throws(CodecError) in
            let rows = PixelRows(output, size)
            rows.base.update(repeating: 0, count: size.area)
            for index in 0..<height {
                let y = nextRow + index - frame.top
                guard !frame.isEmpty, (0..<frame.height).contains(y) else { continue }
                let stored = frame.storedRow(y)
                try decode(rows: frame.isInterlaced ? frame.height : stored + 1, until: deadline)
                guard let indices = codes.decoded else { continue }
                let (source, target) = (
                    indices + stored * frame.width, rows.row(index).base + columns.lowerBound
                )
                for x in 0..<columns.count { target[x] = colors[Int(source[x])] }
            }
            return rows.isOpaque
        }
        nextRow += height
        if nextRow == info.size.height, !frame.isEmpty {
            // Rows below the canvas count, too.
            try decode(rows: frame.height, until: deadline)
            try reader.skipData(from: codes.nextBlock)
        }
        if !isOpaque { pixels.alpha = options.keepsStraightAlpha ? .straight : .premultiplied }
        return pixels.freeze()
    }

    /// Decodes the first `count` rows as they are stored.
    private func decode(rows count: Int, until deadline: Deadline) throws(CodecError) {
        let step = Deadline.rows(of: frame.width)
        while decodedRows < count {
            let end = min(decodedRows + step, count)
            try deadline.check()
            try codes.decode(end * frame.width)
            decodedRows = end
        }
    }
}

extension GIFFrame {
    /// Where row `y` is stored: interlaced, every eighth row comes first, then those between.
    fileprivate func storedRow(_ y: Int) -> Int {
        guard isInterlaced else { return y }
        let (first, second, third) = ((height + 7) / 8, (height + 3) / 8, (height + 1) / 4)
        if y % 8 == 0 { return y / 8 }
        if y % 8 == 4 { return first + y / 8 }
        if y % 4 == 2 { return first + second + y / 4 }
        return first + second + third + y / 2
    }
}
