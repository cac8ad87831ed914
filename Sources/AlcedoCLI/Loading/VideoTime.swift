import Alcedo
import AlcedoCodecs
import Foundation
import Glibc

/// The option `--at`: the time of the frame that is the image.
struct VideoTime: Sendable {
    static let option = Arguments.Option.value("at")

    static let details = """
          --at SECONDS       the frame of a video that is shown so many seconds after its start
        """

    private let seconds: Double?

    init(_ arguments: Arguments) throws { seconds = try arguments.number("at", .from(0, to: 1_000_000)) }

    /// The source to load for `input`.
    func source(of input: Input) throws(Failure) -> Source {
        guard let seconds else { return input.source }
        guard !input.isPipe else {
            throw Failure(
                "\(Failure.subject(of: input.word)): --at takes a file, not a pipe; save the video first")
        }
        return .provider(AVAssetImageDataProvider(assetURL: input.url, seconds: seconds))
    }

    /// Runs `load`; without a time, its failure says what to do with a video.
    func explaining<Result>(_ input: Input, _ load: () async throws -> Result) async throws -> Result {
        try await Self.explaining(
            input, unless: seconds != nil, "choose the frame with --at SECONDS, such as --at 0", load)
    }

    /// Runs `load`; if it fails and `input` is a video, throws what to do.
    static func explaining<Result>(
        _ input: Input, unless isExpected: Bool = false, _ advice: String, _ load: () async throws -> Result
    ) async throws -> Result {
        do {
            // The file of a name that is not UTF-8 stays open.
            defer { withExtendedLifetime(input) {} }
            return try await load()
        } catch {
            guard !isExpected, !Task.isCancelled, (error as? KingfisherError)?.damage == .unknownFormat,
                isVideo(input)
            else { throw error }
            throw Failure("\(shown(input.word)): it is a video; \(advice)")
        }
    }

    /// Whether a local file, which was read before, starts as a video.
    private static func isVideo(_ input: Input) -> Bool {
        guard input.url.isFileURL, !input.isPipe,
            let start = try? LocalFile.withDescriptor(of: input.url.path, { firstBytes(of: $0) })
        else { return false }
        return VideoContainer.recognizes(start.span.bytes, codecs: .shared)
    }

    private static func firstBytes(of descriptor: Int32) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: VideoContainer.prefixLength) {
            $1 = max(0, read(descriptor, $0.baseAddress, $0.count))
        }
    }
}
