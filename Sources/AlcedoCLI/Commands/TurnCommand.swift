import Alcedo
import AlcedoConsole
import Foundation

/// `alcedo turn`: turns, mirrors and crops JPEGs without encoding them again.
struct TurnCommand: Command {
    static let name = "turn"
    static let synopsis =
        "turn URL|FILE|-… [--rotate DEGREES] [--flip horizontal|vertical] [--crop WxH+X+Y] [-o PATH] [OPTION]…"
    static let summary = "Turns, mirrors and crops JPEGs without loss."
    static let details = """
        - is standard input. Without an operation, stands each picture upright as its orientation says.

          --rotate 90|180|270
                             turn clockwise
          --flip horizontal|vertical
                             swap left and right, or top and bottom, after the turn
          --crop WxH+X+Y     keep this part of the turned picture, which grows to the left and to the top up to the
                             next border of blocks of 8 or 16 pixels
          --trim             leave out what is no whole block where a turn would bring that to the left or to the
                             top, up to 15 pixels of a side; otherwise such a turn fails
          -o, --output PATH  as of alcedo get
          --force            replace existing files in the folder, and images by their results
          --metadata none|copyright|all-but-place|all
                             what to keep of EXIF, XMP and IPTC; all by default, without thumbnails
        \(Jobs.details)
        \(LoadOptions.details)
          --json             print one JSON object for each image, and for each failure

        The orientation becomes 1; colour profiles stay. Comments go, and what follows a JPEG's end: gain maps,
        previews, films. Results are named as by alcedo get.
        """
    static let examples = [
        Example(
            #"alcedo turn --rotate 90 --force photo.jpg"#,
            "turns a picture clockwise, in place"),
        Example(
            #"alcedo turn *.jpg -o upright/"#,
            "writes pictures as they are shown, for programs that ignore orientations"),
        Example(
            #"curl https://example.com/photo.jpg | alcedo turn - --flip horizontal -o - > mirrored.jpg"#,
            "reads and writes pipes"),
    ]
    static let options: [Arguments.Option] =
        [
            .value("rotate"), .value("flip"), .value("crop"), .flag("trim"), .value("output", "o"),
            MetadataOption.option, .flag("force"), .flag("json"), Jobs.option,
        ] + LoadOptions.options

    private let words: [String]
    private let transform: JPEGTransform
    private let destination: Destination
    private let load: LoadOptions
    private let jobs: Int
    private let printsJSON: Bool

    init(_ arguments: Arguments) throws {
        guard !arguments.operands.isEmpty else { throw UsageError(message: "turn needs a URL or a file") }
        words = try Input.words(of: arguments)
        destination = try Destination(
            arguments.value("output"), format: nil, words: words, replaces: arguments.has("force"))
        guard destination.format == nil || destination.format == .jpeg else {
            throw UsageError(message: "turn writes JPEGs; convert them with alcedo get")
        }
        printsJSON = arguments.has("json")
        guard !(printsJSON && destination.isStandardOutput) else {
            throw UsageError(message: "--json and -o - both write to standard output; omit one of them")
        }
        transform = JPEGTransform(
            turn: try Self.rotation(arguments).followed(by: Self.flip(arguments)),
            crop: try Self.crop(arguments), partialBlocks: arguments.has("trim") ? .trim : .reject,
            metadata: try MetadataOption.policy(arguments) ?? .all)
        load = try LoadOptions(arguments)
        jobs = try Jobs.count(arguments)
    }

    func run() async throws -> ExitCode {
        let files = try await destination.inputFiles(of: words, within: load.fileTimeout)
        let failures = try await forEachConcurrently(words.enumerated(), jobs: jobs) { index, word in
            do {
                let saved = try await turn(word, at: index, beside: files)
                if !destination.isStandardOutput {
                    Terminal.print(printsJSON ? saved.json(trace: nil) : saved.line)
                }
                return true
            } catch {
                try Task.checkCancellation()
                Failure(word, error).report(on: word, asJSON: printsJSON)
                return false
            }
        }
        return failures == 0 ? .success : .failure
    }

    private func turn(_ word: String, at index: Int, beside files: InputFiles) async throws -> SavedImage {
        let input = try await Input.open(word, within: load.fileTimeout)
        let result = try await CommandCache.manager.retrieveImage(
            with: input.source, options: load.options(for: input) + input.cacheOptions)
        guard let data = result.data(), result.image.info != nil else {
            throw Failure("there are no bytes")
        }
        let limits = load.limits(for: input)
        let turned = try transform.apply(to: data, limits: limits)
        let size = try transform.region(of: data, limits: limits).size
        try Task.checkCancellation()
        let path = try destination.write(turned, as: .jpeg, of: input, at: index, beside: files)
        return SavedImage(
            input: input, path: path, pixels: PixelSize(width: Int(size.width), height: Int(size.height)),
            cacheType: result.cacheType, format: .jpeg, bytes: turned.count)
    }

    // MARK: - Options

    private static func rotation(_ arguments: Arguments) throws -> ImageOrientation {
        guard let text = arguments.value("rotate") else { return .up }
        let turns: [String: ImageOrientation] = ["90": .right, "180": .down, "270": .left]
        guard let turn = turns[text] else {
            throw UsageError(message: "--rotate takes 90, 180 or 270, not “\(text)”")
        }
        return turn
    }

    private static func flip(_ arguments: Arguments) throws -> ImageOrientation {
        guard let text = arguments.value("flip") else { return .up }
        let flips: [String: ImageOrientation] = ["horizontal": .upMirrored, "vertical": .downMirrored]
        guard let flip = flips[text] else {
            throw UsageError(message: "--flip takes horizontal or vertical, not “\(text)”")
        }
        return flip
    }

    private static func crop(_ arguments: Arguments) throws -> CGRect? {
        guard let text = arguments.value("crop") else { return nil }
        guard let found = text.wholeMatch(of: /(\d{1,5})x(\d{1,5})\+(\d{1,5})\+(\d{1,5})/),
            let width = Int(found.1), let height = Int(found.2), let x = Int(found.3), let y = Int(found.4),
            width > 0, height > 0
        else {
            throw UsageError(
                message: "--crop takes WIDTHxHEIGHT+X+Y in pixels, such as 640x480+16+0, not “\(text)”")
        }
        return CGRect(x: x, y: y, width: width, height: height)
    }
}
