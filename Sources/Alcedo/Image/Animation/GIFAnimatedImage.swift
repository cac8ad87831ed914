public import Foundation

/// All decoded frames of an animation, with their durations.
///
/// The name comes from Kingfisher; the animation may be in any format.
public class GIFAnimatedImage {
    let images: [Image]
    let durations: [TimeInterval]

    /// The duration of one loop in seconds; infinite for a single frame.
    var duration: TimeInterval { images.count == 1 ? .infinity : durations.reduce(0, +) }

    /// Decodes all frames of `source`, or only the first; nil if one of them is damaged.
    init?(from source: any ImageFrameSource, options: ImageCreatingOptions) {
        let count = options.onlyFirstFrame ? min(1, source.frameCount) : source.frameCount
        var images: [Image] = []
        for index in 0..<max(0, count) {
            guard let frame = source.frame(at: index) else { return nil }
            images.append(Image(cgImage: frame, scale: options.scale, orientation: .up))
        }
        guard !images.isEmpty else { return nil }
        self.images = images
        durations = images.indices.map { source.duration(at: $0) }
    }

    /// The duration of a frame with these properties, in seconds.
    ///
    /// Reads `UnclampedDelayTime`, else `DelayTime`, else 0.1; a value of 0.011 or less becomes 0.1.
    public static func getFrameDuration(from gifInfo: [String: Any]?) -> TimeInterval {
        displayDuration(seconds(gifInfo?["UnclampedDelayTime"]) ?? seconds(gifInfo?["DelayTime"]) ?? 0.1)
    }

    /// Converts any numeric type, because Foundation on Linux does not bridge numbers to `NSNumber`; nil for other
    /// types.
    private static func seconds(_ delay: Any?) -> TimeInterval? {
        switch delay {
        case let delay as NSNumber: delay.doubleValue
        case let delay as any BinaryFloatingPoint: Double(delay)
        case let delay as any BinaryInteger: Double(delay)
        default: nil
        }
    }

    /// The duration of a frame, in seconds.
    public static func getFrameDuration(from imageSource: CGImageSource, at index: Int) -> TimeInterval {
        imageSource.duration(at: index)
    }

    /// The duration that browsers use: 0.1 s for a stored duration of 0.011 s or less.
    static func displayDuration(_ duration: TimeInterval) -> TimeInterval {
        duration > 0.011 ? duration : 0.1
    }
}
