import Alcedo
import Foundation

/// The option `--at`: the time of the frame that is the image.
struct VideoTime: Sendable {
    static let option = Arguments.Option.value("at")

    static let details = """
          --at SECONDS       the frame of a local video file that is shown so many seconds after its start
        """

    private let seconds: Double?

    init(_ arguments: Arguments) throws { seconds = try arguments.number("at", .from(0, to: 1_000_000)) }

    /// The source to load for `input`.
    func source(of input: Input) -> Source {
        guard let seconds else { return input.url.convertToSource() }
        return .provider(AVAssetImageDataProvider(assetURL: input.url, seconds: seconds))
    }
}
