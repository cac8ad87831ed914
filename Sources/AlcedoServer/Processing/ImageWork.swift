import Alcedo
import AlcedoCodecs
import AlcedoPixels
import Foundation

/// Creates a result from a source; blocks its thread.
struct ImageWork: Sendable {
    let options: ProcessingOptions
    let rules: ResponseRules

    /// The formats of ``ResponseRules`` that the client accepts.
    let accepted: [EncodedFormat]

    /// The encoded watermark; nil without one.
    let watermark: Data?

    let deadline: ContinuousClock.Instant

    func result(of source: FetchedSource) throws(RequestFailure) -> StoredResult {
        if options.format ?? (rules.rasterizesSVG ? nil : .svg) == .svg, SVGSanitizer.recognizes(source.data)
        {
            return try vector(source)
        }
        let encoded: EncodedImage
        do throws(CodecError) {
            encoded = try EncodedImage(
                source.data, limits: limits, onlyFirstFrame: true, mayBeReduced: true,
                allowsTruncation: rules.showsTruncatedSources)
        } catch {
            let failure = RequestFailure(error)
            guard error == .unknownFormat,
                VideoContainer.recognizes(source.data.bytes, codecs: codecs)
            else { throw failure }
            throw failure.with(reason: "the source is a video: set ENABLE_VIDEO_THUMBNAILS for its frames")
        }
        let frames = min(encoded.info.frameCount, maxFrames)
        try check(encoded.info, frames: frames)
        return try raster(source, encoded, frames: frames)
    }

    /// An SVG that stays one.
    private func vector(_ source: FetchedSource) throws(RequestFailure) -> StoredResult {
        var body = source.data
        if rules.sanitizesSVG {
            do throws(SVGSanitizer.Malformed) {
                body = try SVGSanitizer.sanitized(body)
            } catch { throw .broken("the SVG can't be sanitised: \(error.reason)") }
        }
        return unprocessed(source, body: body, format: .svg, size: nil)
    }

    private func raster(
        _ source: FetchedSource, _ encoded: EncodedImage, frames: Int
    ) throws(RequestFailure) -> StoredResult {
        let info = encoded.info
        let turn = StoredTurn(options.orientation(of: info.orientation))
        let formats = ResultFormat(
            encodable: codecs.encodableFormats, animatable: codecs.animatableFormats, rules: rules,
            accepted: accepted)
        let region = try region(of: encoded, frames: frames)
        let size = LayoutSource(
            size: turn.turned(region.size), isVector: info.isScalable, isReversed: turn.isReversed)
        // Without a format at first, because its choice depends on whether the canvas is extended.
        var layout = layout(size, format: nil)
        let needsAlpha = options.background == nil && (info.hasAlpha || layout.isExtended)
        var format = try formats.choose(
            requested: options.format, source: info.format, isAnimated: frames > 1, needsAlpha: needsAlpha
        )
        layout = self.layout(size, format: format)
        if FormatSides.needsOther(format, layout.result) {
            format = needsAlpha ? .png : .jpeg
            layout = self.layout(size, format: format)
        }
        if format == info.format, options.skipProcessing.contains(format) {
            return unprocessed(source, body: source.data, format: format, size: info.uprightSize)
        }
        try check(layout)
        do throws(CodecError) {
            let painter = try options.watermark.flatMap { options throws(CodecError) in
                try watermark.map { data throws(CodecError) in
                    try WatermarkPainter(
                        options, data: data, opacity: rules.watermarkOpacity, limits: limits)
                }
            }
            let renderer = FrameRenderer(
                layout: layout, turn: turn, region: region, stored: info.size, options: options,
                holdsAlpha: format.holdsAlpha, watermark: painter)
            let isAnimated = frames > 1 && codecs.animatableFormats.contains(format)
            let encoder = ResultEncoder(
                format: format, options: options, area: layout.result.area,
                metadata: metadata(of: source, info).sized(layout.result))
            let body =
                try isAnimated
                ? animation(encoded, frames: frames, renderer, encoder)
                : still(encoded, renderer, encoder)
            var result = unprocessed(source, body: body, format: format, size: info.uprightSize)
            (result.facts.width, result.facts.height) = (layout.result.width, layout.result.height)
            return result
        } catch { throw RequestFailure(error) }
    }

    private func still(
        _ encoded: EncodedImage, _ renderer: FrameRenderer, _ encoder: ResultEncoder
    ) throws(CodecError) -> Data {
        try checkTime()
        var encoder = encoder
        let kept = KeptColors(options, format: encoder.format, source: encoded)
        let size = renderer.decodedSize(isVector: encoded.info.isScalable)
        var renderer = renderer
        let decoding = Trace.start("decode")
        let rendered = try encoded.retaining(kept.retention).withStoredPixels(
            atLeast: size,
            // Samples of 16 bits take twice the memory.
            reserving: renderer.workingBytes * (kept.hasDepth ? 2 : 1)
                + kept.bytesOfSource * (size ?? encoded.info.size).area
        ) { (bitmap, extent) throws(CodecError) in
            decoding?.end()
            let processing = Trace.start("process")
            defer { processing?.end() }
            try checkTime()
            let (pixels, space) = try kept.pixels(of: bitmap)
            try renderer.chooseSmartParts(in: pixels, extent: extent)
            return try kept.encodable(try renderer.render(pixels, extent: extent), space)
        }
        (encoder.profile, encoder.depth) = (rendered.profile, rendered.depth)
        if options.preserveHDR, encoder.format == .jpeg {
            // Not every profile can be kept, whatever the options say.
            encoder.metadata.gainMap = try renderer.gainMap(
                of: encoded, inOwnSpace: rendered.profile != nil)
        }
        let encoding = Trace.start("encode")
        defer { encoding?.end() }
        return try encoder.encode(rendered.pixels) { options throws(CodecError) in
            try checkTime()
            return try codecs.encode(rendered.pixels, as: encoder.format, options: options)
        }
    }

    private func animation(
        _ encoded: EncodedImage, frames: Int, _ renderer: FrameRenderer, _ encoder: ResultEncoder
    ) throws(CodecError) -> Data {
        let decoder = RenderedFrames(try encoded.frames(), limit: frames, renderer: renderer) {
            () throws(CodecError) in try checkTime()
        }
        let encoding = Trace.start("decode, process and encode")
        defer { encoding?.end() }
        return try encoder.encode(nil) { options throws(CodecError) in
            decoder.rewind()
            return try codecs.encode(frames: decoder, as: encoder.format, options: options)
        }
    }

    private func layout(_ source: LayoutSource, format: EncodedFormat?) -> ImageLayout {
        ImageLayout(
            source: source, options: options, maxResultDimension: rules.maxResultDimension, format: format
        )
    }

    /// What a trim leaves of the stored pixels.
    private func region(of encoded: EncodedImage, frames: Int) throws(RequestFailure) -> PixelFrame {
        let size = encoded.info.size
        let whole = PixelFrame(width: size.width, height: size.height)
        guard let trim = options.trim, frames == 1, !encoded.info.isScalable else { return whole }
        do throws(CodecError) {
            return try encoded.withStoredPixels(atLeast: nil, reserving: 0) { bitmap, _ in
                bitmap.frame(trimmedBy: trim)
            }
        } catch { throw RequestFailure(error) }
    }

    /// The metadata of the result; its pixels are upright unless the options leave them as they are.
    private func metadata(of source: FetchedSource, _ info: ImageInfo) -> MetadataBlocks {
        guard !options.stripMetadata || options.keepCopyright else { return MetadataBlocks() }
        let all = MetadataBlocks(of: source.data.bytes, format: info.format, limit: limits.metadataBytes)
        if options.stripMetadata { return all.kept(by: .copyright, orientation: .up) }
        return all.kept(by: .all, orientation: options.autoRotate ? .up : info.orientation)
    }

    private func unprocessed(
        _ source: FetchedSource, body: Data, format: EncodedFormat, size: PixelSize?
    ) -> StoredResult {
        var facts = StoredResult.Facts(format: format)
        (facts.head, facts.checked) = (source.head, source.checked)
        facts.originBytes = source.data.count
        (facts.originWidth, facts.originHeight) = (size?.width, size?.height)
        (facts.width, facts.height) = (size?.width, size?.height)
        return StoredResult(body: body, facts: facts)
    }
}

// MARK: - Limits

extension ImageWork {
    private var maxFrames: Int { max(1, options.limits.maxAnimationFrames ?? rules.maxAnimationFrames) }

    private var maxPixels: Double {
        (options.limits.maxSourceResolution ?? rules.maxSourceResolution) * 1_000_000
    }

    private var limits: DecodeLimits {
        let pixels = rules.mostPixels(options)
        let left = ContinuousClock.now.duration(to: deadline)
        return DecodeLimits {
            ($0.pixelsPerFrame, $0.storedPixelsPerFrame, $0.sandbox) = (pixels, pixels, rules.isolation)
            $0.seconds = max(0.05, left / .seconds(1))
        }
    }

    private func check(_ info: ImageInfo, frames: Int) throws(RequestFailure) {
        guard !info.isScalable else { return }
        let ofFrame =
            (options.limits.maxAnimationFrameResolution ?? rules.maxAnimationFrameResolution) * 1_000_000
        let area = Double(info.size.area)
        let isTooLarge =
            frames > 1 && ofFrame > 0 ? area > ofFrame : area * Double(frames) > maxPixels
        if isTooLarge {
            throw .invalidSource(
                "the source has \(info.size) pixels in \(frames) frames, more than allowed")
        }
    }

    /// The largest result: as many pixels as a source may have.
    private func check(_ layout: ImageLayout) throws(RequestFailure) {
        let limit = Int(max(min(maxPixels, 1e12), 50_000_000))
        let largest = max(layout.canvas.area, layout.cut.size.area)
        guard largest <= limit else {
            throw .unprocessable("the result would have \(largest) pixels, the limit is \(limit)")
        }
    }

    private func checkTime() throws(CodecError) {
        guard ContinuousClock.now < deadline else { throw .timeLimitExceeded(seconds: 0) }
    }
}

extension CodecRegistry {
    /// The formats in which some codec writes animations.
    fileprivate var animatableFormats: Set<EncodedFormat> {
        encodableFormats.filter { codec(animating: $0) != nil }
    }
}
