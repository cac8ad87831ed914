import AlcedoCodecs
import AlcedoPixels

/// Reduces images to a number of pixels, or as far as they still cover a view; the processor of the options
/// `maximumDecodedPixels` and `downsampleToViewSize`.
///
/// Smaller images stay as they are, with their original bytes.
struct ReducingImageProcessor: ImageProcessor, PixelProcessor {
    enum Goal {
        case pixels(Int)
        case covering(PixelSize)
    }

    let identifier: String
    private let goal: Goal

    init(_ goal: Goal) {
        self.goal = goal
        switch goal {
        case .pixels(let count): identifier = "alcedo.ReducingImageProcessor(\(count))"
        case .covering(let size): identifier = "alcedo.ReducingImageProcessor(\(size.width)x\(size.height))"
        }
    }

    func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? {
        item.processed(by: [self], options)
    }

    var determinesSize: Bool { true }

    func changes(_ options: KingfisherParsedOptionsInfo) -> [PixelChange]? {
        let limit = options.decodeLimits.pixelsPerFrame
        return [
            .resize { [goal] size, _ in
                let wanted =
                    switch goal {
                    case .pixels(let count): size.limited(toArea: count)
                    case .covering(let view): size.scaled(toCover: view)
                    }
                let most = size.reducedByEighths(toArea: limit)
                return wanted.area <= most.area ? wanted : most
            }
        ]
    }
}

extension PixelSize {
    /// This size, or the most eighths of it that have at most `limit` pixels: what a JPEG is decoded to within the limit.
    ///
    /// At least one eighth.
    fileprivate func reducedByEighths(toArea limit: Int) -> PixelSize {
        guard area > limit else { return self }
        func reduced(_ eighths: Int) -> PixelSize {
            PixelSize(width: (width * eighths + 7) / 8, height: (height * eighths + 7) / 8)
        }
        let sizes = JPEGCodec.eighths(of: self).reversed().map(reduced)
        return sizes.first { $0.area <= limit } ?? reduced(1)
    }

    /// This size, reduced to at most `limit` pixels with the same aspect ratio; each side is at least 1.
    func limited(toArea limit: Int) -> PixelSize {
        let limit = max(1, limit)
        guard area > limit else { return self }
        let factor = (Double(limit) / Double(area)).squareRoot()
        let shorter = max(1, Int(Double(min(width, height)) * factor))
        // A line of pixels is reduced in its length only.
        let longer = max(1, min(Int(Double(max(width, height)) * factor), limit / shorter))
        return width < height
            ? PixelSize(width: shorter, height: longer) : PixelSize(width: longer, height: shorter)
    }
}
