public import Foundation

/// All frames of an animation, decoded, and how long they take together.
///
/// The name is Kingfisher's; the animation may be in any format.
public class GIFAnimatedImage {
    let images: [Image]
    let durations: [TimeInterval]

    /// Seconds for one play; infinite for a single frame.
    var duration: TimeInterval { images.count == 1 ? .infinity : durations.reduce(0, +) }

    /// Decodes all of `source`, or its first frame; nil if one of them is damaged.
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

    /// The time that a frame with these properties is shown, in seconds.
    ///
    /// That is `UnclampedDelayTime`, else `DelayTime`, else 0.1; what is 0.011 or less becomes 0.1.
    public static func getFrameDuration(from gifInfo: [String: Any]?) -> TimeInterval {
        shown(seconds(gifInfo?["UnclampedDelayTime"]) ?? seconds(gifInfo?["DelayTime"]) ?? 0.1)
    }

    /// Any kind of number, which Foundation does not make an `NSNumber` on Linux; nil for anything else.
    private static func seconds(_ delay: Any?) -> TimeInterval? {
        switch delay {
        case let delay as NSNumber: delay.doubleValue
        case let delay as any BinaryFloatingPoint: Double(delay)
        case let delay as any BinaryInteger: Double(delay)
        default: nil
        }
    }

    /// The time that a frame is shown, in seconds.
    public static func getFrameDuration(from imageSource: CGImageSource, at index: Int) -> TimeInterval {
        imageSource.duration(at: index)
    }

    /// What browsers make of a frame's duration: a tenth of a second where it says almost none.
    static func shown(_ duration: TimeInterval) -> TimeInterval { duration > 0.011 ? duration : 0.1 }
}
