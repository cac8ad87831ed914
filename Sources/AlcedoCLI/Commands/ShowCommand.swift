import Alcedo
import AlcedoConsole
import Foundation

/// `alcedo show`: draws an image in the terminal.
struct ShowCommand: Command {
    static let name = "show"
    static let synopsis = "show URL|FILE [--width COLUMNS] [OPTION]…"
    static let summary = "Shows an image or plays an animation in the terminal."
    static let details = """
          --width COLUMNS    the width, from 1 to 1000; the terminal's width by default
        \(LoadOptions.details)

        Draws with kitty's graphics or sixels if the terminal says that it can; otherwise in 24-bit colour, two
        pixels to a character. An animation plays as often as it says, at most until Ctrl-C.
        """
    static let options: [Arguments.Option] = [.value("width")] + LoadOptions.options

    private let word: String
    private let columns: Int
    private let load: LoadOptions

    init(_ arguments: Arguments) throws {
        guard arguments.operands.count == 1, let word = arguments.operands.first else {
            throw UsageError(message: "show takes one image")
        }
        self.word = word
        load = try LoadOptions(arguments)
        columns = try arguments.integer("width", in: 1...1000) ?? min(1000, Terminal.columns)
    }

    func run() async throws -> ExitCode {
        do {
            let input = try Input(word)
            let image = try await CommandCache.manager
                .retrieveImage(with: input.url, options: load.options(for: input) + input.cacheOptions).image
            let graphics = TerminalGraphics.ask()
            try Task.checkCancellation()
            try await show(image, on: Canvas(graphics: graphics, columns: columns))
            return .success
        } catch {
            try Task.checkCancellation()
            Failure(word, error).report(on: word, asJSON: false)
            return .failure
        }
    }

    private func show(_ image: Image, on canvas: Canvas) async throws {
        guard image.frameCount > 1, Terminal.showsOutput, let source = image.kf.frameSource else {
            let size = canvas.size(of: image.size, isAnimated: false)
            return try canvas.draw(try resized(image, to: size))
        }
        let size = canvas.size(of: image.size, isAnimated: true)
        try await canvas.play(times: image.loopCount, count: image.frameCount) { index in
            guard let frame = source.frame(at: index, maxSize: size) else {
                throw Failure("frame \(index + 1) of \(image.frameCount) cannot be decoded")
            }
            return (try resized(Image(bitmap: frame), to: size), source.duration(at: index))
        }
    }

    private func resized(_ image: Image, to size: CGSize) throws -> Bitmap {
        let options = KingfisherParsedOptionsInfo([.scaleFactor(image.scale)])
        let processor = ResizingImageProcessor(referenceSize: size)
        guard let small = processor.process(item: .image(image), options: options) else {
            _ = try image.bitmap()
            throw Failure("it cannot be scaled to \(columns) columns")
        }
        return try small.bitmap()
    }
}
