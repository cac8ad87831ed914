import Alcedo
import AlcedoConsole
import Foundation

/// What the program ends with; documented in docs/cli.md.
enum ExitCode: Int32 {
    /// Everything was done.
    case success = 0
    /// Something could not be done; standard error says what.
    case failure = 1
    /// The command line makes no sense.
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

    /// What `error` means for `subject`, in one line that names it.
    init(_ subject: String, _ error: any Error) {
        let subject = shown(subject)
        let text: String =
            switch error {
            case let failure as Failure: failure.message
            case let error as KingfisherError: error.description
            default: "\(error)"
            }
        let line = text.split(whereSeparator: \.isNewline).joined(separator: " ")
        message = subject.isEmpty || line.contains(subject) ? line : "\(subject): \(line)"
    }

    /// Tells people on standard error and, if `asJSON`, scripts on standard output.
    ///
    /// - Parameters:
    ///   - word: the image that failed; nil if it is the command.
    ///   - asJSON: whether answers are JSON.
    func report(on word: String?, asJSON: Bool) {
        let text = message.redactingURLs
        Terminal.printError("alcedo: \(printable(text))\n")
        guard asJSON else { return }
        Terminal.print(jsonLine(["url": word.map(shown) ?? NSNull(), "error": text]))
    }
}

/// A command line that makes no sense.
struct UsageError: Error {
    let message: String
}
