import AlcedoPixels

/// Reads a GIF block by block from bytes in memory, which must outlive it.
struct GIFReader {
    private let bytes: UnsafeRawBufferPointer
    private let globalColors: Range<Int>
    private var position: Int

    /// Seeks to the first block.
    init(_ bytes: UnsafeRawBufferPointer) throws(CodecError) {
        guard let flags = bytes.bytes.u8(10) else { throw .truncated(.gif) }
        globalColors = 13..<(13 + GIFHeader.tableSize(flags))
        position = globalColors.upperBound
        self.bytes = bytes
    }

    /// Reads the next frame without its pixels, and its control; nil at the end.
    mutating func next() throws(CodecError) -> (GIFFrame, GIFFrameControl)? {
        let bytes = bytes.bytes
        var control = GIFFrameControl.none
        while true {
            switch bytes.u8(position) {
            case 0x21:
                let body = position + 2
                guard let end = GIFHeader.endOfBlocks(bytes, from: body) else { throw .truncated(.gif) }
                let isControl = bytes.u8(position + 1) == 0xF9
                position = end
                if isControl, let next = GIFFrameControl(bytes, at: body) { control = next }
            case 0x2C:
                guard let frame = GIFFrame(bytes, at: position + 1, globalColors: globalColors) else {
                    throw .truncated(.gif)
                }
                // The first codes have one bit more than the indices, and a code has at most 12 bits.
                guard frame.codeSize < 12 else { throw .corrupt(.gif, reason: "its codes are too long") }
                position = frame.data
                return (frame, control)
            // An unknown record counts as the end, as in `GIFHeader`.
            default: return nil
            }
        }
    }

    /// Fills `table` with 256 opaque BGRA colours of a frame; 0 for the transparent and the missing ones.
    func readColors(
        of frame: GIFFrame,
        into table: UnsafeMutablePointer<UInt32>,
        transparent: Int?
    ) throws(CodecError) {
        guard !frame.colors.isEmpty else { throw .corrupt(.gif, reason: "a frame has no colours") }
        table.update(repeating: 0, count: 256)
        for (index, offset) in stride(from: frame.colors.lowerBound, to: frame.colors.upperBound, by: 3)
            .enumerated() where index != transparent
        {
            let (red, green, blue) = (bytes[offset], bytes[offset + 1], bytes[offset + 2])
            table[index] = 0xFF00_0000 | UInt32(red) << 16 | UInt32(green) << 8 | UInt32(blue)
        }
    }

    /// Starts `decoder` on the codes of the last frame that was read.
    func start(_ decoder: inout LZWDecoder, _ frame: GIFFrame) throws(CodecError) {
        try decoder.start(
            bytes, from: frame.data, codeSize: frame.codeSize, count: frame.width * frame.height)
    }

    /// Skips the rest of a frame's data, from a sub-block on.
    mutating func skipData(from block: Int? = nil) throws(CodecError) {
        guard let end = GIFHeader.endOfBlocks(bytes.bytes, from: block ?? position) else {
            throw .truncated(.gif)
        }
        position = end
    }
}

/// The graphic control extension of a frame.
struct GIFFrameControl {
    static let none = GIFFrameControl()
    static let keep = 1
    static let restoreBackground = 2
    static let restorePrevious = 3

    var disposal = 0
    /// In hundredths of a second.
    var delay = 0
    var transparent: Int?
}

extension GIFFrameControl {
    /// Reads the sub-block at `offset`; nil if it is too short.
    fileprivate init?(_ bytes: RawSpan, at offset: Int) {
        guard let length = bytes.u8(offset), length >= 4, let flags = bytes.u8(offset + 1),
            let delay = bytes.u16LE(offset + 2), let transparent = bytes.u8(offset + 4)
        else { return nil }
        // Some encoders write 4 instead of 3; browsers accept it.
        disposal = flags >> 2 & 7 == 4 ? Self.restorePrevious : flags >> 2 & 7
        self.delay = delay
        self.transparent = flags & 1 == 1 ? transparent : nil
    }
}

/// The image descriptor of a frame, which may exceed the canvas, and the ranges of its palette and codes.
struct GIFFrame {
    let left: Int
    let top: Int
    let width: Int
    let height: Int
    let isInterlaced: Bool
    /// The palette, three bytes per colour; empty if there is none.
    let colors: Range<Int>
    /// Bits of a palette index.
    let codeSize: Int
    /// The offset of the first sub-block of the codes.
    let data: Int

    /// Reads the descriptor at `offset`, with `globalColors` unless it has a local palette; nil if truncated.
    init?(_ bytes: RawSpan, at offset: Int, globalColors: Range<Int>) {
        guard let left = bytes.u16LE(offset), let top = bytes.u16LE(offset + 2),
            let width = bytes.u16LE(offset + 4), let height = bytes.u16LE(offset + 6),
            let flags = bytes.u8(offset + 8)
        else { return nil }
        let table = offset + 9
        let end = table + GIFHeader.tableSize(flags)
        guard let codeSize = bytes.u8(end) else { return nil }
        self.left = left
        self.top = top
        self.width = width
        self.height = height
        isInterlaced = flags & 0x40 != 0
        colors = end > table ? table..<end : globalColors
        self.codeSize = codeSize
        data = end + 1
    }

    var isEmpty: Bool { width == 0 || height == 0 }

    func covers(_ canvas: PixelSize) -> Bool {
        left == 0 && top == 0 && width >= canvas.width && height >= canvas.height
    }

    func clipped(to canvas: PixelSize) -> (columns: Range<Int>, rows: Range<Int>) {
        (
            min(left, canvas.width)..<min(left + width, canvas.width),
            min(top, canvas.height)..<min(top + height, canvas.height)
        )
    }
}
