package import Foundation

/// The image files in `Tests/Fixtures`.
package enum Fixture {
    /// The folder, found by the path of this source file.
    package static let folder = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Tests/Fixtures")

    /// The URL of the fixture `path`, relative to the folder.
    package static func url(_ path: String) -> URL { folder.appending(path: path) }

    package static func data(_ path: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: url(path)))
    }

    /// Paths of the files in the folder `path`, relative to the fixtures' folder, sorted.
    package static func list(_ path: String, withExtension fileExtension: String? = nil) -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: url(path).path)) ?? []
        return names.sorted()
            .filter { fileExtension == nil || $0.hasSuffix(".\(fileExtension ?? "")") }
            .map { "\(path)/\($0)" }
    }
}
