import AlcedoWaiting
package import Foundation

/// Runs the package's programs and captures their output.
package enum BuiltProgram {
    /// The program was killed by a signal, or its exit status is not 0.
    package struct Failed: Error {
        package let name: String
        package let status: Int32
        package let output: String
    }

    /// The path of a program, which SwiftPM builds beside the test bundle.
    package static func url(of name: String) -> URL {
        URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
            .appendingPathComponent(name)
    }

    /// Runs a program until it exits, with its caches in `folder`, and returns its standard output.
    ///
    /// - Throws: ``Failed``; `CancellationError` if the task is cancelled, which kills the program.
    package static func output(
        of name: String, _ arguments: [String], in folder: TemporaryDirectory
    ) async throws -> String {
        let text = folder.file("output.txt")
        try Data().write(to: text)
        let file = try FileHandle(forWritingTo: text)
        let environment = ProcessInfo.processInfo.environment
            .merging(["HOME": folder.path, "XDG_CACHE_HOME": folder.path]) { $1 }
        let process = try ChildProcess(
            [url(of: name).path] + arguments, environment: environment, output: .handle(file))
        let end = try await process.waitForEnd()
        let output = try String(contentsOf: text, encoding: .utf8)
        guard end.status == 0, !end.isKilled else {
            throw Failed(name: name, status: end.status, output: output)
        }
        return output
    }
}
