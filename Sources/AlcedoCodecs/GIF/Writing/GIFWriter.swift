import AlcedoPixels
import CGif

/// Writes a GIF to memory with giflib, one record at a time.
struct GIFWriter: ~Copyable {
    private let handle: UnsafeMutablePointer<GifFileType>
    private let output: UnsafeMutablePointer<[UInt8]>

    init() throws(CodecError) {
        let output = UnsafeMutablePointer<[UInt8]>.allocate(capacity: 1)
        output.initialize(to: [])
        var status: Int32 = 0
        let handle = EGifOpen(
            output,
            { file, bytes, count in
                guard let output = file?.pointee.UserData, let bytes, count > 0 else { return 0 }
                output.assumingMemoryBound(to: [UInt8].self).pointee
                    .append(contentsOf: UnsafeBufferPointer(start: bytes, count: Int(count)))
                return count
            },
            &status
        )
        guard let handle else {
            output.deinitialize(count: 1)
            output.deallocate()
            throw .encodingFailed(.gif, reason: Self.text(status))
        }
        self.handle = handle
        self.output = output
    }

    /// Writes the header; `loopCount` is the number of plays, 0 for infinite.
    mutating func start(_ size: PixelSize, globalColors: [UInt32], loopCount: Int) throws(CodecError) {
        EGifSetGifVersion(handle, true)
        let colors = try ColorMap(globalColors)
        try check(
            EGifPutScreenDesc(handle, Int32(size.width), Int32(size.height), 8, 0, colors.handle),
            handle
        )
        if loopCount != 1 { try putLoop(repeats: loopCount == 0 ? 0 : loopCount - 1) }
    }

    deinit {
        // Before `output` ends, to which it still writes.
        EGifCloseFile(handle, nil)
        output.deinitialize(count: 1)
        output.deallocate()
    }

    struct Frame {
        var rect: FrameRect
        /// The local palette; nil for the global one.
        var colors: [UInt32]?
        /// The transparent palette index.
        var transparent: Int?
        var disposal: Int
        /// In hundredths of a second.
        var delay: Int
    }

    /// Writes a frame of palette indices, row by row.
    mutating func put(_ frame: Frame, pixels: UnsafeMutablePointer<UInt8>) throws(CodecError) {
        var control = GraphicsControlBlock(
            DisposalMode: Int32(frame.disposal),
            UserInputFlag: false,
            DelayTime: Int32(frame.delay),
            TransparentColor: Int32(frame.transparent ?? Int(NO_TRANSPARENT_COLOR))
        )
        var block: (UInt8, UInt8, UInt8, UInt8) = (0, 0, 0, 0)
        let status = withUnsafeMutableBytes(of: &block) { bytes in
            let start = bytes.baseAddress?.assumingMemoryBound(to: GifByteType.self)
            _ = EGifGCBToExtension(&control, start)
            return EGifPutExtension(handle, GRAPHICS_EXT_FUNC_CODE, 4, start)
        }
        try check(status, handle)
        let colors = try frame.colors.map { colors throws(CodecError) in try ColorMap(colors) }
        let rect = frame.rect
        try check(
            EGifPutImageDesc(
                handle,
                Int32(rect.left),
                Int32(rect.top),
                Int32(rect.width),
                Int32(rect.height),
                false,
                colors?.handle
            ),
            handle
        )
        for y in 0..<rect.height {
            try check(EGifPutLine(handle, pixels + y * rect.width, Int32(rect.width)), handle)
        }
    }

    /// All bytes, with the trailer, which giflib itself writes only in `deinit`.
    consuming func finish() -> [UInt8] { output.pointee + [0x3B] }

    private func putLoop(repeats: Int) throws(CodecError) {
        let count = UInt16(clamping: repeats)
        let name = Array("NETSCAPE2.0".utf8)
        let block: [UInt8] = [1, UInt8(count & 0xFF), UInt8(count >> 8)]
        try check(EGifPutExtensionLeader(handle, APPLICATION_EXT_FUNC_CODE), handle)
        try check(EGifPutExtensionBlock(handle, Int32(name.count), name), handle)
        try check(EGifPutExtensionBlock(handle, Int32(block.count), block), handle)
        try check(EGifPutExtensionTrailer(handle), handle)
    }

    private func check(
        _ status: Int32,
        _ handle: UnsafeMutablePointer<GifFileType>
    ) throws(CodecError) {
        guard status != GIF_OK else { return }
        throw .encodingFailed(.gif, reason: Self.text(handle.pointee.Error))
    }

    private static func text(_ status: Int32) -> String {
        GifErrorString(status).map { String(cString: $0) } ?? "unknown giflib error"
    }
}

/// A colour table of giflib, which copies it; padded with black to a power of two.
private final class ColorMap {
    let handle: UnsafeMutablePointer<ColorMapObject>

    init(_ colors: [UInt32]) throws(CodecError) {
        let count = 1 << GifBitSize(Int32(max(2, colors.count)))
        guard let handle = GifMakeMapObject(Int32(count), nil), let table = handle.pointee.Colors else {
            throw .encodingFailed(.gif, reason: "out of memory")
        }
        for index in 0..<count {
            let color = index < colors.count ? colors[index] : 0
            table[index] = GifColorType(
                Red: UInt8(color >> 16 & 0xFF),
                Green: UInt8(color >> 8 & 0xFF),
                Blue: UInt8(color & 0xFF)
            )
        }
        self.handle = handle
    }

    deinit { GifFreeMapObject(handle) }
}
