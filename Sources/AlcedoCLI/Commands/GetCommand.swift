import Alcedo
import AlcedoConsole
import Foundation

/// `alcedo get`: loads images through the cache, processes them and writes files.
struct GetCommand: Command {
    static let name = "get"
    static let synopsis =
        "get URL|FILE|-… [-o PATH] [--process STEPS] [--format F] [OPTION]…"
    static let summary = "Loads images through the cache and saves them."
    static let details = """
        URL is an http, https, file or data URL; - is standard input.

          -o, --output PATH  the file to write, in place of one that exists; with several images, or if PATH is a
                             folder or ends with /, the folder to write to; - is standard output; creates missing
                             folders; the current folder by default
          --force            replace existing files in the folder, and images by their results
        \(VideoTime.details)
        \(PageOption.details)
        \(Processing.details)
          --format \(Destination.formats.joined(separator: "|"))
                             convert to this format; by default that of PATH's extension, else the image's own;
                             keeps animations if the format supports them
          --quality N        the quality of a JPEG, WebP, JPEG XL, AVIF or HEIC, from 1 to 100; also encodes an
                             unchanged one anew
        \(TargetOptions.details)
        \(MetadataOption.details)
        \(ColorOptions.details)
          --refresh          load from the network even if the cache has the image
        \(Jobs.details)
        \(LoadOptions.details)
          --json             print one JSON object for each image, and for each failure
        \(Trace.details)

        Processors of --process, joined with |>:

        \(Processing.list)

        Without an operation, the file has exactly the bytes that the server sent, with all their metadata. Without
        -o FILE or --force no file is replaced: a result that would have the name of an image gets a number, and other
        existing files are reported. Images with one name get numbers in their order.
        """
    static let examples = [
        Example(
            #"alcedo get https://example.com/photo.jpg"#,
            "saves photo.jpg in the current folder"),
        Example(
            #"alcedo get photo.jpg --downsample 320x320 --round 16 -o thumbnail.webp"#,
            "writes a thumbnail; the name chooses the format"),
        Example(
            #"alcedo get *.jpg --format avif --quality 60 -o small/"#,
            "converts pictures into a folder"),
        Example(
            #"alcedo get photo.jpg --downsample 1200x1200 --max-bytes 100000 -o mail.jpg"#,
            "writes the best JPEG of at most 100 kB"),
        Example(
            #"curl https://example.com/photo.jpg | alcedo get - --resize 100x100 --format png -o - | wc -c"#,
            "reads and writes pipes"),
        Example(
            #"alcedo get film.mp4 --at 12.5 -o poster.jpg"#,
            "saves a frame of a video"),
    ]
    static let options: [Arguments.Option] =
        [
            .value("output", "o"), .value("format"), .value("quality"), MetadataOption.option,
            .flag("refresh"), .flag("force"),
            .flag("json"), Trace.option, Jobs.option, VideoTime.option, PageOption.option,
        ] + TargetOptions.options + ColorOptions.options + Processing.options + LoadOptions.options

    private let words: [String]
    private let destination: Destination
    private let encoder: OutputEncoder
    private let colors: ColorOptions
    private let options: KingfisherOptionsInfo
    private let load: LoadOptions
    private let time: VideoTime
    private let jobs: Int
    private let printsJSON: Bool
    private let isTraced: Bool

    init(_ arguments: Arguments) throws { try self.init(arguments, name: Self.name, metadata: nil) }

    /// `metadata` is what is kept without the option.
    init(_ arguments: Arguments, name: String, metadata: MetadataPolicy?) throws {
        guard !arguments.operands.isEmpty else {
            throw UsageError(message: "\(name) needs a URL or a file")
        }
        words = try Input.words(of: arguments)
        destination = try Destination(
            arguments.value("output"), format: arguments.value("format"), words: words,
            replaces: arguments.has("force"))
        let quality = try arguments.integer("quality", in: 1...100)
        let metadata = try MetadataOption.policy(arguments) ?? metadata
        printsJSON = arguments.has("json")
        isTraced = arguments.has(Trace.option.name)
        guard !(printsJSON && destination.isStandardOutput) else {
            throw UsageError(message: "--json and -o - both write to standard output; omit one of them")
        }
        load = try LoadOptions(arguments)
        time = try VideoTime(arguments)
        jobs = try Jobs.count(arguments)
        var options: KingfisherOptionsInfo = [.waitForCache, .backgroundDecode]
        colors = try ColorOptions(arguments)
        do { try colors.check(destination.format) } catch let error as Failure {
            throw UsageError(message: error.message)
        }
        var processor = try Processing.processor(arguments, maximumPixels: load.maximumPixels)
        if let page = try PageOption.page(arguments) {
            let selection = PageImageProcessor(page: page)
            processor = processor.map { selection |> $0 } ?? selection
        }
        if let conversion = colors.processor { processor = processor.map { $0 |> conversion } ?? conversion }
        if let processor {
            options.append(.processor(processor.keepingMetadata(metadata ?? .copyright)))
        }
        encoder = OutputEncoder(
            format: destination.format, quality: quality.map { Double($0) / 100 },
            target: try TargetOptions.target(arguments, quality: quality), metadata: metadata,
            colors: colors, isProcessed: processor != nil)
        options.append(.colorRetention(colors.retention))
        if arguments.has("refresh") { options.append(.forceRefresh) }
        self.options = options
    }

    func run() async throws -> ExitCode {
        let files = try await destination.inputFiles(of: words, within: load.fileTimeout)
        let isWatched = Terminal.showsErrors && !printsJSON
        let bar = ProgressBar("Loading", total: words.count, isVisible: isWatched && words.count > 1)
        let bytes = ByteProgress(isVisible: isWatched && words.count == 1)
        defer { bar.finish() }
        let failures = try await forEachConcurrently(words.enumerated(), jobs: jobs) { index, word in
            defer { bar.step() }
            let trace = isTraced ? Trace() : nil
            do {
                let saved = try await get(word, at: index, beside: files, progress: bytes, trace: trace)
                let stages = await trace?.stages()
                if !destination.isStandardOutput {
                    Terminal.print(printsJSON ? saved.json(trace: stages) : saved.line)
                }
                report(stages, of: word)
                return true
            } catch {
                try Task.checkCancellation()
                let stages = await trace?.stages()
                Failure(word, error).report(on: word, asJSON: printsJSON, trace: stages)
                report(stages, of: word)
                return false
            }
        }
        return failures == 0 ? .success : .failure
    }

    /// Prints a trace as a table.
    private func report(_ stages: [TracedStage]?, of word: String) {
        guard let stages, !stages.isEmpty, !printsJSON else { return }
        Terminal.printError(stages.table(of: word))
    }

    private func get(
        _ word: String, at index: Int, beside files: InputFiles, progress: ByteProgress, trace: Trace?
    ) async throws -> SavedImage {
        // With several images, the progress line is not visible.
        defer { progress.finish() }
        let input = try await Input.open(word, within: load.fileTimeout)
        let observers = KingfisherOptionsInfoItem.observers(trace.map { [$0] } ?? [])
        let result = try await time.explaining(input) {
            try await CommandCache.manager.retrieveImage(
                with: time.source(of: input),
                options: options + load.options(for: input) + input.cacheOptions + [observers],
                progressBlock: { progress.update(received: $0, total: $1) })
        }
        let (data, format) = try encoder.encode(
            result.image, original: result.data(), limits: load.limits(for: input))
        try Task.checkCancellation()
        let path = try destination.write(data, as: format, of: input, at: index, beside: files)
        return SavedImage(
            input: input, path: path, pixels: result.image.pixelSize, cacheType: result.cacheType,
            format: format, bytes: data.count)
    }
}
