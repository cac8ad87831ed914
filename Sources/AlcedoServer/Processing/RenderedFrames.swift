import AlcedoPixels

/// The first frames of an animation, each rendered when an encoder requests it.
final class RenderedFrames: FrameDecoder {
    let info: ImageInfo

    private let frames: any FrameDecoder
    private let limit: Int
    private var renderer: FrameRenderer
    private var position = 0
    private let check: () throws(CodecError) -> Void

    /// - Parameters:
    ///   - frames: as stored.
    ///   - limit: how many there are at most.
    ///   - renderer: renders each.
    ///   - check: throws if the time is up.
    init(
        _ frames: any FrameDecoder, limit: Int, renderer: FrameRenderer,
        check: @escaping () throws(CodecError) -> Void
    ) {
        (self.frames, self.limit, self.renderer, self.check) = (frames, limit, renderer, check)
        var info = frames.info
        info.size = renderer.layout.result
        info.orientation = .up
        info.hasAlpha = info.hasAlpha || renderer.layout.isExtended
        info.frameCount = min(info.frameCount, limit)
        self.info = info
    }

    func next() throws(CodecError) -> AnimationFrame? {
        guard position < limit else { return nil }
        try check()
        guard let frame = try frames.next() else { return nil }
        let extent = (Double(frame.bitmap.width), Double(frame.bitmap.height))
        try renderer.chooseSmartParts(in: frame.bitmap, extent: extent)
        position += 1
        return AnimationFrame(
            bitmap: try renderer.render(frame.bitmap, extent: extent), duration: frame.duration)
    }

    func rewind() {
        frames.rewind()
        position = 0
    }
}
