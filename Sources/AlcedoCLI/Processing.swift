import Alcedo
import Foundation

/// What `--downsample`, `--resize` and `--round` ask for.
enum Processing {
    static let options: [Arguments.Option] = [.value("downsample"), .value("resize"), .value("round")]

    static let details = """
          --downsample WxH   decode straight to a smaller size; the longer side fits, the aspect is kept
          --resize WxH       scale to exactly this size
          --round R          round the corners, with a radius of R pixels
        """

    /// The processors in the order downsample, resize, round; nil if none is asked for.
    static func processor(_ arguments: Arguments) throws -> (any ImageProcessor)? {
        var processors: [any ImageProcessor] = []
        if let size = try arguments.size("downsample") {
            processors.append(DownsamplingImageProcessor(size: size))
        }
        if let size = try arguments.size("resize") {
            processors.append(ResizingImageProcessor(referenceSize: size))
        }
        if let radius = try arguments.number("round") {
            processors.append(RoundCornerImageProcessor(cornerRadius: radius))
        }
        guard let first = processors.first else { return nil }
        return processors.dropFirst().reduce(first) { $0 |> $1 }
    }
}
