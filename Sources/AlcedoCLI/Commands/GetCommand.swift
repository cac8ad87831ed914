import Alcedo
import AlcedoConsole
import Foundation

/// `alcedo get`: loads images through the cache, processes them and writes files.
struct GetCommand: Command {
    static let name = "get"
    static let synopsis =
        "get URL… [-o PATH] [--process STEPS] [--format F] [OPTION]…"
    static let summary = "Loads images, through the cache, and writes them to files."
    static let details = """
        URL is an http, https, file or data URL, or a path.

          -o, --output PATH  the file to write; with several URLs, or if it is a folder, the folder to write
                             to; - for standard output; the current folder by default
        \(Processing.details)
          --format F         \(Destination.names); by default what PATH's extension says,
                             else the image's own; an animation stays one where the format has them
          --refresh          load again, whatever the cache has
        \(Sandbox.details)
          --json             a line of JSON for each image

        Processors, which --process joins with |>:

        \(Processing.list)

        An image that is not changed is written byte for byte as it came.
        """
    static let options: [Arguments.Option] =
        [.value("output", "o"), .value("format"), .flag("refresh"), .flag("json"), Sandbox.option]
        + Processing.options

    private let words: [String]
    private let destination: Destination
    private let options: KingfisherOptionsInfo
    private let sandbox: Sandbox
    private let printsJSON: Bool

    init(_ arguments: Arguments) throws {
        guard !arguments.operands.isEmpty else { throw UsageError(message: "get needs a URL") }
        words = arguments.operands
        destination = try Destination(
            arguments.value("output"), format: arguments.value("format"), imageCount: words.count)
        printsJSON = arguments.has("json")
        sandbox = try Sandbox(arguments)
        var options: KingfisherOptionsInfo = [.waitForCache]
        if let processor = try Processing.processor(arguments) { options.append(.processor(processor)) }
        if arguments.has("refresh") { options.append(.forceRefresh) }
        self.options = options
    }

    func run() async throws -> ExitCode {
        let bar = ProgressBar("Loading", total: words.count)
        defer { bar.finish() }
        let names = NameRegister()
        let failures = try await forEachConcurrently(words) { word in
            defer { bar.step() }
            do {
                let report = try await get(word, names: names)
                bar.clear()
                if !destination.isStandardOutput { Terminal.print(printsJSON ? report.json : report.line) }
                return true
            } catch {
                try Task.checkCancellation()
                bar.clear()
                Failure(word, error).report()
                return false
            }
        }
        return failures == 0 ? .success : .failure
    }

    private func get(_ word: String, names: NameRegister) async throws -> Report {
        let input = try Input(word)
        let result = try await KingfisherManager.shared.retrieveImage(
            with: input.url, options: options + input.options(sandbox))
        let (data, format) = try encode(result, limits: input.limits(sandbox))
        let path = destination.path(for: input, format: format, names: names)
        try destination.check(format, at: path)
        try Task.checkCancellation()
        try FileWriter.write(data, to: path)
        return Report(word: word, path: path, result: result, format: format, bytes: data.count)
    }

    /// The bytes to write, of pixels that are known to decode.
    private func encode(_ result: RetrieveImageResult, limits: DecodeLimits) throws -> (Data, EncodedFormat) {
        let image = result.image
        _ = try image.bitmap()
        if let format = destination.format { return (try image.data(as: format), format) }
        guard let data = DefaultCacheSerializer.default.data(with: image, original: result.data()),
            let format = try? Image(decoding: data, limits: limits).info?.format
        else { throw Failure("the image cannot be encoded") }
        return (data, format)
    }

    private struct Report: Sendable {
        let word: String
        let path: String
        let result: RetrieveImageResult
        let format: EncodedFormat
        let bytes: Int

        private var origin: String {
            switch result.cacheType {
            case .none: "loaded"
            case .memory: "from memory"
            case .disk: "from disk"
            }
        }

        var line: String {
            "\(printable(path))  \(result.image.pixelSize) \(format), \(byteText(bytes)), \(origin)\n"
        }

        var json: String {
            jsonLine([
                "url": shown(word), "path": path, "format": format.rawValue, "bytes": bytes, "from": origin,
                "width": result.image.pixelSize.width, "height": result.image.pixelSize.height,
            ])
        }
    }
}
