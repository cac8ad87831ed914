package import AlcedoPixels

/// Searches the quality of a file by halving the range: from 1 to 100 with eight files at most.
package struct QualitySearch {
    package struct Found {
        package var file: [UInt8]
        /// From 0 to 1.
        package var quality: Double
        /// Whether the file is as small, or as like, as it has to be.
        package var isReached: Bool
    }

    /// In hundredths.
    private let qualities: ClosedRange<Int>

    /// `qualities`, from 0 to 1, of files in `format`, of which there is only one if it has no quality.
    package init(_ qualities: ClosedRange<Double>, _ format: EncodedFormat, _ options: EncodeOptions) {
        func hundredths(_ quality: Double) -> Int {
            Int(((EncodeOptions { $0.quality = quality }).boundedQuality * 100).rounded())
        }
        let (least, most) = (hundredths(qualities.lowerBound), hundredths(qualities.upperBound))
        let hasQuality = format.hasQuality && (!options.isLossless || options.tuning.isNearLossless)
        self.qualities = (hasQuality ? max(1, least) : max(1, most))...max(1, most)
    }

    /// The file of the highest quality with at most `count` bytes; without one, that of the lowest quality.
    package func largest(
        within count: Int, _ write: (_ quality: Double) throws(CodecError) -> [UInt8]
    ) throws(CodecError) -> Found {
        func found(_ quality: Int) throws(CodecError) -> Found {
            let file = try write(Double(quality) / 100)
            return Found(file: file, quality: Double(quality) / 100, isReached: file.count <= count)
        }
        var last = try found(qualities.upperBound)
        var best = last.isReached ? last : nil
        var (low, high) = (qualities.lowerBound, qualities.upperBound - 1)
        while best?.quality != Double(qualities.upperBound) / 100, low <= high {
            let middle = (low + high) / 2
            last = try found(middle)
            if last.isReached {
                (best, low) = (last, middle + 1)
            } else {
                high = middle - 1
            }
        }
        return best ?? last
    }

    /// The file of the lowest quality with a similarity of at least `ssim`; without one, that of the highest quality.
    ///
    /// Ends at the first file that is within `tolerance` of it.
    package func smallest(
        like bitmap: Bitmap, ssim: Double, tolerance: Double = 0, readingWith codecs: CodecRegistry,
        _ write: (_ quality: Double) throws(CodecError) -> [UInt8]
    ) throws(CodecError) -> Found {
        let similarity = try Similarity(to: bitmap)
        let options = DecodeOptions(readingBack: bitmap.size)
        var (low, high) = (qualities.lowerBound, qualities.upperBound)
        var best: Found?
        while true {
            let middle = (low + high) / 2
            let file = try write(Double(middle) / 100)
            let reached = try similarity.ssim(of: codecs.decode(file.span.bytes, options: options))
            let found = Found(
                file: file, quality: Double(middle) / 100, isReached: reached >= ssim - tolerance)
            if abs(reached - ssim) <= tolerance { return found }
            if reached >= ssim {
                (best, high) = (found, middle - 1)
            } else {
                low = middle + 1
            }
            if low > high { return best ?? found }
        }
    }
}

extension DecodeOptions {
    /// For a file that was encoded in this process.
    fileprivate init(readingBack size: PixelSize) {
        self.init()
        limits.sandbox = .off
        limits.pixelsPerFrame = max(limits.pixelsPerFrame, size.area)
        limits.storedPixelsPerFrame = max(limits.storedPixelsPerFrame, size.area)
        limits.encodedBytes = .max
        limits.seconds = .infinity
    }
}

extension CodecRegistry {
    /// ``encode(_:as:options:)``, for which `finish` adds what counts for a size, such as metadata.
    package func encode(
        _ bitmap: Bitmap, as format: EncodedFormat, options: EncodeOptions,
        finish: ([UInt8]) -> [UInt8]
    ) throws(CodecError) -> [UInt8] {
        var options = options
        let target = options.target
        options.target = nil
        func write(_ quality: Double) throws(CodecError) -> [UInt8] {
            options.quality = quality
            return try encode(bitmap, as: format, options: options)
        }
        switch target {
        case nil: return finish(try encode(bitmap, as: format, options: options))
        case .size(let count, let qualities):
            let found = try QualitySearch(qualities, format, options).largest(within: count) {
                quality throws(CodecError) in finish(try write(quality))
            }
            return try found.file(of: format, within: count)
        case .quality(let ssim, let qualities):
            let search = QualitySearch(qualities, format, options)
            return finish(try search.smallest(like: bitmap, ssim: ssim, readingWith: self, write).file)
        }
    }

    /// ``encode(frames:as:options:)``, for which `finish` adds what counts for a size, such as metadata.
    package func encode(
        frames: any FrameDecoder, as format: EncodedFormat, options: EncodeOptions,
        finish: ([UInt8]) -> [UInt8]
    ) throws(CodecError) -> [UInt8] {
        var options = options
        // No animation is nearly lossless.
        options.tuning.isNearLossless = false
        let target = options.target
        options.target = nil
        switch target {
        case nil: return finish(try encode(frames: frames, as: format, options: options))
        case .size(let count, let qualities):
            let found = try QualitySearch(qualities, format, options).largest(within: count) {
                quality throws(CodecError) in
                options.quality = quality
                frames.rewind()
                return finish(try encode(frames: frames, as: format, options: options))
            }
            return try found.file(of: format, within: count)
        case .quality:
            throw .encodingFailed(
                format, reason: "animations have no target of similarity; set a quality or a size")
        }
    }
}

extension QualitySearch.Found {
    fileprivate func file(of format: EncodedFormat, within count: Int) throws(CodecError) -> [UInt8] {
        guard isReached else {
            let least =
                format.hasQuality ? "at the lowest quality of the target" : "and the format has no quality"
            throw .encodingFailed(
                format,
                reason: "\(file.count) bytes \(least), the target is \(count) bytes; make the image smaller")
        }
        return file
    }
}
