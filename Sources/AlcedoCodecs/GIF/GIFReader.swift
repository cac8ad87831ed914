import AlcedoPixels
import CGif

/// giflib streaming through bytes in memory, one record at a time; the bytes must outlive it.
struct GIFReader: ~Copyable {
    enum Record {
        case graphicControl(GIFFrameControl)
        case frame
        case end
    }

    private struct Source {
        var bytes: UnsafeRawBufferPointer
        var position = 0
    }

    private let handle: UnsafeMutablePointer<GifFileType>
    private let source: UnsafeMutablePointer<Source>

    init(_ bytes: UnsafeRawBufferPointer) throws(CodecError) {
        let source = UnsafeMutablePointer<Source>.allocate(capacity: 1)
        source.initialize(to: Source(bytes: bytes))
        var status: Int32 = 0
        let handle = DGifOpen(
            source,
            { file, output, count in
                guard let user = file?.pointee.UserData, let output else { return 0 }
                let source = user.assumingMemoryBound(to: Source.self)
                let rest = source.pointee.bytes.count - source.pointee.position
                let wanted = min(Int(max(0, count)), rest)
                guard wanted > 0, let start = source.pointee.bytes.baseAddress else { return 0 }
                let next = start + source.pointee.position
                UnsafeMutableRawPointer(output).copyMemory(from: next, byteCount: wanted)
                source.pointee.position += wanted
                return Int32(wanted)
            },
            &status
        )
        guard let handle else {
            source.deallocate()
            throw .corrupt(.gif, reason: Self.text(status))
        }
        self.handle = handle
        self.source = source
    }

    deinit {
        DGifCloseFile(handle, nil)
        source.deallocate()
    }

    /// Reads up to and including the next record of interest; the pixels of a frame are left to be read.
    func next() throws(CodecError) -> Record {
        while true {
            var type = UNDEFINED_RECORD_TYPE
            // No record where one should begin is taken for the end, as in `GIFHeader`.
            guard DGifGetRecordType(handle, &type) == GIF_OK else { return .end }
            switch type {
            case IMAGE_DESC_RECORD_TYPE:
                try check(DGifGetImageHeader(handle))
                return .frame
            case EXTENSION_RECORD_TYPE:
                if let control = try readExtension() { return .graphicControl(control) }
            default: return .end
            }
        }
    }

    /// Where the frame whose header was just read belongs.
    var frame: GIFFrameRect {
        let image = handle.pointee.Image
        return GIFFrameRect(
            left: Int(image.Left),
            top: Int(image.Top),
            width: Int(image.Width),
            height: Int(image.Height),
            isInterlaced: image.Interlace
        )
    }

    /// Fills `table` with the frame's 256 colours as opaque BGRA, and 0 where it has none.
    func readColors(into table: UnsafeMutablePointer<UInt32>, transparent: Int?) throws(CodecError) {
        guard let map = handle.pointee.Image.ColorMap ?? handle.pointee.SColorMap,
            let colors = map.pointee.Colors
        else { throw .corrupt(.gif, reason: "a frame has no colours") }
        for index in 0..<256 {
            guard index < Int(map.pointee.ColorCount), index != transparent else {
                table[index] = 0
                continue
            }
            let (red, green, blue) = (colors[index].Red, colors[index].Green, colors[index].Blue)
            table[index] = 0xFF00_0000 | UInt32(red) << 16 | UInt32(green) << 8 | UInt32(blue)
        }
    }

    /// Reads the next row of colour numbers.
    func readRow(into row: UnsafeMutablePointer<UInt8>, width: Int) throws(CodecError) {
        try check(DGifGetLine(handle, row, Int32(width)))
    }

    /// Passes over the data of a frame without pixels.
    func skipRows() throws(CodecError) {
        var block: UnsafeMutablePointer<GifByteType>?
        repeat { try check(DGifGetCodeNext(handle, &block)) } while block != nil
    }

    private func readExtension() throws(CodecError) -> GIFFrameControl? {
        var code: Int32 = 0
        var block: UnsafeMutablePointer<GifByteType>?
        try check(DGifGetExtension(handle, &code, &block))
        var control: GIFFrameControl?
        while let data = block {
            if code == GRAPHICS_EXT_FUNC_CODE, data[0] >= 4 {
                control = GIFFrameControl(
                    disposal: GIFFrameControl.disposal(Int(data[1] >> 2 & 7)),
                    delay: Int(data[2]) | Int(data[3]) << 8,
                    transparent: data[1] & 1 == 1 ? Int(data[4]) : nil
                )
            }
            try check(DGifGetExtensionNext(handle, &block))
        }
        return control
    }

    private func check(_ status: Int32) throws(CodecError) {
        guard status != GIF_OK else { return }
        if source.pointee.position >= source.pointee.bytes.count { throw .truncated(.gif) }
        throw .corrupt(.gif, reason: Self.text(handle.pointee.Error))
    }

    private static func text(_ status: Int32) -> String {
        GifErrorString(status).map { String(cString: $0) } ?? "its code stream is wrong"
    }
}

/// What a graphic control extension says of the frame after it.
struct GIFFrameControl {
    static let none = GIFFrameControl(disposal: 0, delay: 0, transparent: nil)
    static let keep = 1
    static let restoreBackground = 2
    static let restorePrevious = 3

    /// What browsers make of a number: some encoders write 4, the third bit, where the standard has 3.
    static func disposal(_ number: Int) -> Int { number == 4 ? restorePrevious : number }

    var disposal: Int
    /// In hundredths of a second.
    var delay: Int
    var transparent: Int?
}

/// Where a frame lies on the canvas, or beyond it.
struct GIFFrameRect {
    var left = 0
    var top = 0
    var width = 0
    var height = 0
    var isInterlaced = false
}
