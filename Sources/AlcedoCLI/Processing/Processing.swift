import Alcedo
import Foundation

/// The processors of `--downsample`, `--resize`, `--round` and `--process`.
enum Processing {
    static let options: [Arguments.Option] = [
        .value("downsample"), .value("resize"), .value("round"), .value("process"),
    ]

    static let details = """
          --downsample WxH   decode straight to a smaller size; the longer side fits, keeps the aspect ratio
          --resize WxH       scale to exactly this size
          --round R          round the corners, with a radius of R pixels
          --process STEPS    apply processors in order, such as 'downsample(200x200)|>round(20)';
                             they are listed below
        """

    /// The processors of `--process`, one a line.
    static var list: String {
        ProcessorRecipe.all.map { recipe in
            "  \(recipe.usage.padding(toLength: 27, withPad: " ", startingAt: 0))\(recipe.summary)"
        }.joined(separator: "\n")
    }

    /// The processors in the order downsample, resize, round, then those of `--process`; nil if there are none.
    ///
    /// - Parameters:
    ///   - arguments: the command line.
    ///   - maximumPixels: how many pixels an image may have.
    /// - Returns: all of them as one.
    /// - Throws: `UsageError`.
    static func processor(
        _ arguments: Arguments, maximumPixels: Int
    ) throws -> (any ImageProcessor)? {
        var processors: [any ImageProcessor] = []
        if let size = try arguments.size("downsample") {
            processors.append(DownsamplingImageProcessor(size: size))
        }
        if let size = try arguments.size("resize") {
            guard Int(size.width) * Int(size.height) <= maximumPixels else {
                throw UsageError(
                    message: "--resize takes a size of at most \(maximumPixels) pixels; raise --max-pixels")
            }
            processors.append(ResizingImageProcessor(referenceSize: size))
        }
        if let radius = try arguments.number("round", .positive(upTo: 65_535)) {
            processors.append(RoundCornerImageProcessor(cornerRadius: radius))
        }
        if let text = arguments.value("process") {
            processors += try ProcessorParser(text, maximumPixels: maximumPixels).processors()
        }
        guard let first = processors.first else { return nil }
        return processors.dropFirst().reduce(first) { $0 |> $1 }
    }
}
