import Alcedo
import AlcedoConsole
import Foundation

/// The exit codes; documented in docs/cli.md.
enum ExitCode: Int32 {
    case success = 0
    /// A failure, reported on standard error.
    case failure = 1
    /// Wrong usage of the command line.
    case usage = 2
    /// SIGINT.
    case interrupted = 130
    /// SIGTERM.
    case terminated = 143
}

/// An error that ends a command, or the work on one image.
struct Failure: Error {
    let message: String

    /// A failure with this message.
    init(_ message: String) {
        self.message = message
    }

    /// The text of `error` in one line, starting with `subject`.
    init(_ subject: String, _ error: any Error) {
        let subject = Self.subject(of: subject)
        let text: String =
            switch error {
            case let failure as Failure: failure.message
            case KingfisherError.imageSettingError(reason: .dataProviderError(_, let failure as Failure)):
                failure.message
            case let error as KingfisherError: error.description
            default: "\(error)"
            }
        let line = text.split(whereSeparator: \.isNewline).joined(separator: " ")
        message = subject.isEmpty || line.contains(subject) ? line : "\(subject): \(line)"
    }

    /// An input as messages name it.
    static func subject(of word: String) -> String {
        word == Input.standardInput ? "standard input" : shown(word)
    }

    /// Prints the failure on standard error and, if `asJSON`, as JSON on standard output.
    ///
    /// - Parameters:
    ///   - word: the image that failed; nil for the command.
    ///   - asJSON: whether the output is JSON.
    ///   - trace: the stages of the image's load; nil without `--trace`.
    func report(on word: String?, asJSON: Bool, trace: [TracedStage]? = nil) {
        let text = message.redactingURLs
        Terminal.printError("alcedo: \(printable(text))\n")
        guard asJSON else { return }
        var object: [String: Any] = ["url": word.map(shown) ?? NSNull(), "error": text]
        object["trace"] = trace?.json
        Terminal.print(jsonLine(object))
    }
}

/// Wrong usage of the command line.
struct UsageError: Error {
    let message: String
}
