package import Foundation

/// An object store that is spoken to as to S3, with users and keys that it checks; it ends with this process.
///
/// The bucket `pictures` is in the region us-west-1, and has versions; `scripts/object-store.py` has the objects.
package final class ObjectStoreProcess: Sendable {
    /// What the process says about itself; keys have an ID, a secret and a session token.
    package struct Facts: Sendable, Decodable {
        package let endpoint: String

        /// The first version of `versions/a.png`; the newest is no picture.
        package let version: String

        /// May do anything.
        package let writer: [String]
        package let reader: [String]

        /// May do nothing.
        package let stranger: [String]

        /// As `writer`, by a role.
        package let temporary: [String]

        /// May only assume ``role``.
        package let assumer: [String]
        package let role: String
    }

    /// One for all tests.
    package static let shared = Result { try ObjectStoreProcess() }

    /// The picture in all objects.
    package static let picture = Fixture.url("pngsuite/png/basi4a16.png")

    package let facts: Facts
    private let process: ChildProcess

    /// It ends when this is closed, at the end of this process at the latest.
    private let input: FileHandle

    private init() throws {
        let root = Fixture.folder.appending(path: "../..").standardizedFileURL
        let python = root.appending(path: "build/test/venv/bin/python").path
        guard FileManager.default.isExecutableFile(atPath: python) else { throw DidNotStart() }
        let (inputPipe, outputPipe) = (Pipe(), Pipe())
        let script = root.appending(path: "scripts/object-store.py").path
        process = try ChildProcess(
            [python, script, Self.picture.path], input: .handle(inputPipe.fileHandleForReading),
            output: .handle(outputPipe.fileHandleForWriting))
        input = inputPipe.fileHandleForWriting
        try inputPipe.fileHandleForReading.close()
        try outputPipe.fileHandleForWriting.close()
        var line = Data()
        while line.last != UInt8(ascii: "\n") {
            let more = outputPipe.fileHandleForReading.availableData
            guard !more.isEmpty else { throw DidNotStart() }
            line += more
        }
        facts = try JSONDecoder().decode(Facts.self, from: line)
    }

    private struct DidNotStart: Error, CustomStringConvertible {
        let description = "scripts/object-store.py did not start: run scripts/setup.sh test"
    }
}
