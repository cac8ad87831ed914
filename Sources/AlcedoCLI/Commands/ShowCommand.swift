import Alcedo
import AlcedoConsole
import Foundation

/// `alcedo show`: draws an image in the terminal.
struct ShowCommand: Command {
    static let name = "show"
    static let synopsis = "show URL|FILE [--width COLUMNS] [OPTION]…"
    static let summary = "Shows an image in the terminal, in true colour."
    static let details = """
          --width COLUMNS    the width, from 1 to 1000; the terminal's width by default
        \(LoadOptions.details)

        Requires a terminal with 24-bit colour. Each character shows two pixels, one above the other.
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
            let fitted = image.size.kf.constrained(CGSize(width: columns, height: 16_384))
            let size = image.size.width <= fitted.width ? image.size : fitted
            let options = KingfisherParsedOptionsInfo([.scaleFactor(image.scale)])
            let processor = ResizingImageProcessor(referenceSize: size)
            guard let small = processor.process(item: .image(image), options: options) else {
                _ = try image.bitmap()
                throw Failure("it cannot be scaled to \(columns) columns")
            }
            Terminal.print(HalfBlocks.text(of: try small.bitmap()))
            return .success
        } catch {
            try Task.checkCancellation()
            Failure(word, error).report(on: word, asJSON: false)
            return .failure
        }
    }
}

/// Draws a bitmap with `▀`, whose foreground is the upper pixel and whose background the lower one.
enum HalfBlocks {
    static func text(of bitmap: Bitmap) -> String {
        bitmap.withUnsafeBytes { bytes in
            var text = ""
            for y in stride(from: 0, to: bitmap.height, by: 2) {
                for x in 0..<bitmap.width {
                    let upper = color(in: bytes, at: y * bitmap.bytesPerRow + x * 4)
                    let lower =
                        y + 1 < bitmap.height
                        ? color(in: bytes, at: (y + 1) * bitmap.bytesPerRow + x * 4) : nil
                    text += cell(upper: upper, lower: lower)
                }
                text += "\u{1B}[0m\n"
            }
            return text
        }
    }

    private static func cell(upper: String?, lower: String?) -> String {
        switch (upper, lower) {
        case (let upper?, let lower?): "\u{1B}[38;2;\(upper);48;2;\(lower)m▀"
        case (let upper?, nil): "\u{1B}[0;38;2;\(upper)m▀"
        case (nil, let lower?): "\u{1B}[0;38;2;\(lower)m▄"
        case (nil, nil): "\u{1B}[0m "
        }
    }

    /// `r;g;b`; nil for a transparent pixel, which shows the terminal's background.
    private static func color(in bytes: UnsafeRawBufferPointer, at offset: Int) -> String? {
        guard bytes[offset + 3] >= 32 else { return nil }
        return "\(bytes[offset + 2]);\(bytes[offset + 1]);\(bytes[offset])"
    }
}
