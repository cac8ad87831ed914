import Alcedo
import AlcedoConsole
import Foundation

/// `alcedo show`: draws an image in the terminal.
struct ShowCommand: Command {
    static let name = "show"
    static let synopsis = "show URL|FILE|- [--width COLUMNS] [--colors full|256|16] [OPTION]…"
    static let summary = "Shows an image or plays an animation in the terminal."
    static let details = """
        \(VideoTime.details)
        \(PageOption.details)
          --width COLUMNS    the width, from 1 to 1000; the terminal's width by default
          --colors full|256|16
                             draw characters in so many colours; full is 24-bit colour. By default 16 or 256 where
                             TERM and COLORTERM name a terminal that has no more
        \(LoadOptions.details)

        - is standard input. Draws with kitty's graphics or sixels if the terminal says that it can; otherwise two
        pixels to a character, in the terminal's colours. An animation plays as often as it says, at most until
        Ctrl-C. What has come of a large image from the network is shown while it loads, if it fits on the screen.
        """
    static let examples = [
        Example(
            #"alcedo show photo.jpg"#,
            "draws a picture as wide as the terminal"),
        Example(
            #"alcedo show https://example.com/cat.gif --width 40"#,
            "plays an animation in 40 columns"),
        Example(
            #"curl https://example.com/photo.jpg | alcedo show -"#,
            "draws what a pipe has"),
    ]
    static let options: [Arguments.Option] =
        [.value("width"), .value("colors"), VideoTime.option, PageOption.option] + LoadOptions.options

    private let word: String
    private let columns: Int
    private let colors: TerminalColors?
    private let load: LoadOptions
    private let time: VideoTime
    private let page: Int?

    init(_ arguments: Arguments) throws {
        guard arguments.operands.count == 1, let word = arguments.operands.first else {
            throw UsageError(message: "show takes one image")
        }
        self.word = word
        load = try LoadOptions(arguments)
        time = try VideoTime(arguments)
        page = try PageOption.page(arguments)
        colors = try arguments.value("colors").map { word in
            guard let colors = TerminalColors(rawValue: word) else {
                throw UsageError(message: "--colors takes full, 256 or 16, not “\(word)”")
            }
            return colors
        }
        columns = try arguments.integer("width", in: 1...1000) ?? min(1000, Terminal.columns)
    }

    func run() async throws -> ExitCode {
        do {
            let input = try await Input.open(word, within: load.fileTimeout)
            let canvas = Canvas(
                graphics: colors == nil ? TerminalGraphics.detect() : TerminalGraphics(),
                colors: colors ?? TerminalColors.detect(), columns: columns)
            try Task.checkCancellation()
            let previews = await PreviewDrawing(on: canvas)
            do {
                let loaded = try await time.explaining(input) {
                    try await image(of: input, previews, canvas)
                }
                try Task.checkCancellation()
                try await show(loaded, on: canvas, replacing: previews)
            } catch {
                await previews.end()
                throw error
            }
            return .success
        } catch {
            try Task.checkCancellation()
            Failure(word, error).report(on: word, asJSON: false)
            return .failure
        }
    }

    /// Loads the image; draws previews of one from the network if standard output is a terminal.
    private func image(
        of input: Input, _ previews: PreviewDrawing, _ canvas: Canvas
    ) async throws -> Image {
        var options = load.options(for: input) + input.cacheOptions
        if let page { options.append(.processor(PageImageProcessor(page: page))) }
        let isRemote = ["http", "https"].contains(input.url.scheme?.lowercased())
        // Previews would be those of the first page.
        guard Terminal.showsOutput, isRemote, page == nil else {
            return try await CommandCache.manager.retrieveImage(
                with: time.source(of: input), options: options
            ).image
        }
        // Pixels become smaller, so coarse ones need no blur.
        let progressive = ImageProgressive(isBlur: false, isFastestScan: true, scanInterval: 0.2)
        return try await CommandCache.manager.retrieveImage(
            with: time.source(of: input), options: options, previews: progressive
        ) { preview in
            guard let preview else { return }
            let size = canvas.size(of: preview.size, isAnimated: false)
            // An error that prevents previews also prevents the image, which then reports it.
            // A thumbnail has fewer pixels than its size says.
            let bitmap = try? resized(Image(bitmap: preview.bitmap()), to: size)
            if let bitmap { try? previews.draw(bitmap) }
        }.image
    }

    private func show(_ image: Image, on canvas: Canvas, replacing previews: PreviewDrawing) async throws {
        guard image.frameCount > 1, Terminal.showsOutput, let source = image.kf.frameSource else {
            let bitmap = try resized(image, to: canvas.size(of: image.size, isAnimated: false))
            let hasPreviews = await previews.giveWay()
            return hasPreviews ? try canvas.drawInPlace(bitmap) : try canvas.draw(bitmap)
        }
        let size = canvas.size(of: image.size, isAnimated: true)
        // They are drawn in the same place.
        _ = await previews.giveWay()
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
