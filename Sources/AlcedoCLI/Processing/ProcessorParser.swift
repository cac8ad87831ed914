import Alcedo
import Foundation

/// Reads the text of `--process`: processors by name with their arguments, joined with `|>`.
struct ProcessorParser {
    private static let mostSteps = 32

    private let text: String
    private let maximumPixels: Int

    /// A parser for `text`; no image may have more than `maximumPixels`.
    init(_ text: String, maximumPixels: Int) {
        self.text = text
        self.maximumPixels = maximumPixels
    }

    /// The processors in the order of the text.
    ///
    /// - Throws: `UsageError`, which names the piece that is wrong and its position.
    func processors() throws -> [any ImageProcessor] {
        let steps = text.split(separator: "|>", omittingEmptySubsequences: false)
        guard steps.count <= Self.mostSteps else {
            throw UsageError(message: "--process takes at most \(Self.mostSteps) steps, not \(steps.count)")
        }
        var processors: [any ImageProcessor] = []
        var exact = ""
        for step in steps {
            var arguments = try arguments(of: step.trimmed)
            processors.append(try arguments.recipe.make(&arguments))
            try arguments.finish()
            if arguments.hasColor { exact += step.lowercased().filter { !$0.isWhitespace } + ";" }
        }
        return processors + (exact.isEmpty ? [] : [ExactText(exact)])
    }

    /// The processor of a step and its arguments.
    private func arguments(of step: Substring) throws -> ProcessorArguments {
        let name = step.prefix { $0 != "(" }
        guard !step.isEmpty else {
            throw wrong(step, "there is no processor; \(Self.known)")
        }
        guard let recipe = ProcessorRecipe.all.first(where: { $0.name == name.trimmed.lowercased() }) else {
            throw wrong(step, "“\(name.trimmed)” is no processor; \(Self.known)")
        }
        let inside = step[name.endIndex...]
        guard inside.isEmpty || inside.last == ")" else {
            throw wrong(step, "“\(step)” does not end with “)”; write \(recipe.usage)")
        }
        let words = inside.dropFirst().dropLast()
        return ProcessorArguments(
            recipe: recipe,
            maximumPixels: maximumPixels,
            step: step,
            words: words.trimmed.isEmpty ? [] : words.split(separator: ",", omittingEmptySubsequences: false),
            wrong: wrong
        )
    }

    /// The error of a part of the text.
    private func wrong(_ piece: Substring, _ message: String) -> UsageError {
        let position = text.distance(from: text.startIndex, to: piece.startIndex) + 1
        return UsageError(message: "--process, character \(position): \(message)")
    }

    private static var known: String {
        "known are " + ProcessorRecipe.all.map(\.usage).joined(separator: ", ")
    }
}

extension Substring {
    /// Without white space around it; still a part of the same text.
    var trimmed: Substring {
        let start = drop { $0.isWhitespace }
        guard let end = start.lastIndex(where: { !$0.isWhitespace }) else { return start }
        return start[...end]
    }
}

/// Replaces the identifier by the exact text.
///
/// Kingfisher's identifiers round colours to two digits, so `#ff0000` and `#fe0000` would share an entry.
private struct ExactText: ImageProcessor {
    let identifier: String

    init(_ text: String) { identifier = "exact(\(text))" }

    func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? {
        DefaultImageProcessor.default.process(item: item, options: options)
    }
}
