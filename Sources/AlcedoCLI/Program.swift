import Alcedo
import AlcedoConsole
import Foundation

/// `alcedo`: loads, inspects, prefetches and shows images, and manages the cache.
@main
enum Program {
    private static var commands: [any Command.Type] {
        [GetCommand.self, InfoCommand.self, PrefetchCommand.self, CacheCommand.self, ShowCommand.self]
    }

    static func main() async {
        let interrupts = Interrupts()
        let work = Task { await run(Array(CommandLine.arguments.dropFirst())) }
        interrupts.onInterrupt { work.cancel() }
        var code = await work.value
        await CommandCache.flush()
        if Terminal.hasLostOutput, code == .success {
            Terminal.printError("alcedo: standard output cannot be written\n")
            code = .failure
        }
        exit((interrupts.exitCode ?? code).rawValue)
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
        Terminal.printError("alcedo: \(printable(message))\n")
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
    static var options: [Arguments.Option] { get }

    /// Checks the arguments.
    init(_ arguments: Arguments) throws

    /// Runs the command.
    func run() async throws -> ExitCode
}

extension Command {
    static var help: String { "usage: alcedo \(synopsis)\n\n\(summary)\n\n\(details)\n" }
}
