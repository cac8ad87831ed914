package import Foundation

/// A program of the package, run to its end for what it prints.
package enum BuiltProgram {
    /// It was ended by a signal, or did not end well.
    package struct Failed: Error {
        let name: String
        let status: Int32
        let output: String
    }

    /// Where SwiftPM has put a program: beside the test bundle.
    package static func url(of name: String) -> URL {
        URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
            .appendingPathComponent(name)
    }

    /// Runs it to its end.
    ///
    /// - Parameters:
    ///   - name: the program's.
    ///   - arguments: its arguments.
    ///   - folder: its caches, and a file for what it prints.
    /// - Throws: ``Failed``; `CancellationError` if the task is cancelled, which kills the program.
    /// - Returns: what it prints.
    package static func output(
        of name: String, _ arguments: [String], in folder: TemporaryDirectory
    ) async throws -> String {
        let process = Process()
        process.executableURL = url(of: name)
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment
            .merging(["HOME": folder.path, "XDG_CACHE_HOME": folder.path]) { $1 }
        let text = folder.file("output.txt")
        try Data().write(to: text)
        process.standardOutput = try FileHandle(forWritingTo: text)
        let end = Gate()
        process.terminationHandler = { _ in end.open() }
        try Launching.alone { try process.run() }
        await end.pass()
        guard !process.isRunning else {
            kill(process.processIdentifier, SIGKILL)
            throw CancellationError()
        }
        let output = try String(contentsOf: text, encoding: .utf8)
        guard process.terminationReason == .exit, process.terminationStatus == 0 else {
            throw Failed(name: name, status: process.terminationStatus, output: output)
        }
        return output
    }
}
