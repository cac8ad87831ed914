import Alcedo
import AlcedoConsole
import Foundation

/// `alcedo`: loads, inspects, prefetches, shows and serves images, and manages the cache.
@main
enum Program {
    private static var commands: [any Command.Type] {
        [
            GetCommand.self, InfoCommand.self, StripCommand.self, TurnCommand.self, PrefetchCommand.self,
            CacheCommand.self, ShowCommand.self, ServeCommand.self, URLCommand.self,
        ]
    }

    static func main() async {
        Allocator.configure()
        reserveStandardStreams()
        do throws(Failure) { try Requirements.check() } catch {
            Terminal.printError("alcedo: \(error.message)\n")
            exit(ExitCode.failure.rawValue)
        }
        CommandCache.findHome()
        let words = (1..<max(1, Int(CommandLine.argc))).compactMap { index in
            CommandLine.unsafeArgv[index].map { String(systemBytes: $0) }
        }
        let endsWhenInterrupted = commands.contains { $0.name == words.first && $0.endsWhenInterrupted }
        // The server logs where its standard error goes.
        if !endsWhenInterrupted { Diagnostic.handler = CommandCache.report }
        let interrupts = Interrupts(isLimited: !endsWhenInterrupted)
        let work = Task { await run(words) }
        interrupts.onInterrupt { work.cancel() }
        var code = await work.value
        await CommandCache.flush()
        // The flush has waited its two seconds; `exit` would wait as long again for a disk that hangs.
        ExitFlush.turnOff()
        if Terminal.hasLostOutput, code == .success {
            Terminal.printError("alcedo: standard output cannot be written\n")
            code = .failure
        }
        exit((endsWhenInterrupted ? code : interrupts.exitCode ?? code).rawValue)
    }

    /// Has reads and writes of a standard stream fail that was closed at the start.
    ///
    /// Otherwise the next file that is opened, such as one of the cache, would get its number, and what is printed.
    private static func reserveStandardStreams() {
        for number in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(number, F_GETFD) < 0 {
            _ = open("/dev/null", number == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }

    private static func run(_ words: [String]) async -> ExitCode {
        guard let name = words.first else {
            Terminal.printError(overview)
            return .usage
        }
        if ["help", "--help", "-h"].contains(name) {
            let topic = words.dropFirst().first.flatMap { name in commands.first { $0.name == name } }
            Terminal.print(topic?.help ?? overview)
            return .success
        }
        if name == "--version" {
            Terminal.print("alcedo \(AlcedoVersion.current)\n")
            return .success
        }
        guard let command = commands.first(where: { $0.name == name }) else {
            return reject("unknown command “\(name)”; see alcedo --help")
        }
        if let reason = command.unavailability {
            Terminal.printError("\(reason)\n")
            return .failure
        }
        var printsJSON = false
        do {
            let arguments = try Arguments(words, options: command.options)
            printsJSON = arguments.has("json")
            if arguments.has("help") {
                Terminal.print(command.help)
                return .success
            }
            return try await command.init(arguments).run()
        } catch let error as UsageError {
            return reject("\(error.message); see alcedo \(name) --help")
        } catch is CancellationError {
            return .interrupted
        } catch {
            Failure(name, error).report(on: nil, asJSON: printsJSON)
            return .failure
        }
    }

    private static func reject(_ message: String) -> ExitCode {
        Terminal.printError("alcedo: \(printable(message.redactingURLs))\n")
        return .usage
    }

    private static var overview: String {
        """
        usage: alcedo COMMAND …

        \(commands.map { "  alcedo \($0.synopsis)\n      \($0.summary)" }.joined(separator: "\n"))

        alcedo COMMAND --help lists a command's options, and alcedo --version prints the version.
        Exit status: 0 success, 1 failure, 2 wrong usage, 130 interrupted, 143 terminated.

        """
    }
}

/// One of the program's commands.
protocol Command {
    static var name: String { get }
    static var synopsis: String { get }
    static var summary: String { get }
    static var details: String { get }
    static var examples: [Example] { get }
    static var options: [Arguments.Option] { get }

    /// Why this build does not have the command; nil if it has.
    static var unavailability: String? { get }

    /// Whether SIGINT or SIGTERM is the command's regular end, with its own exit code.
    static var endsWhenInterrupted: Bool { get }

    /// Checks the arguments.
    init(_ arguments: Arguments) throws

    func run() async throws -> ExitCode
}

extension Command {
    static var unavailability: String? { nil }
    static var endsWhenInterrupted: Bool { false }
    static var help: String {
        let parts = ["usage: alcedo \(synopsis)", summary, details]
        let lines = examples.map { "  \($0.command)\n        \($0.effect)" }
        return (parts + (lines.isEmpty ? [] : ["Examples:", lines.joined(separator: "\n")]))
            .joined(separator: "\n\n") + "\n"
    }
}

/// An example of a command's use, in its help and its man page.
struct Example {
    let command: String
    let effect: String

    init(_ command: String, _ effect: String) {
        self.command = command
        self.effect = effect
    }
}
