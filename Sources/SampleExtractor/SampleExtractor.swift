import Foundation

/// Makes a source file of a page's Swift samples: `SampleExtractor PAGE OUTPUT`.
///
/// Each sample becomes the body of a function on the main actor. A comment before it says what else it needs or is:
///
///     <!-- sample needs: url: URL, imageView: ImageView -->
///     <!-- sample: manifest -->
///
/// The parameters of the function are what a sample needs; a manifest is not compiled.
@main
enum SampleExtractor {
    static func main() throws {
        guard CommandLine.arguments.count == 3 else { throw Failure.usage }
        let page = URL(fileURLWithPath: CommandLine.arguments[1])
        let text = try String(contentsOf: page, encoding: .utf8)
        let samples = try Sample.all(in: text, of: page)
        let source = Self.source(of: samples, on: page)
        try Data(source.utf8).write(to: URL(fileURLWithPath: CommandLine.arguments[2]))
    }

    private static func source(of samples: [Sample], on page: URL) -> String {
        let imports = Set(samples.flatMap(\.imports)).union(["import Foundation"])
        // Alcedo and what is built on it share names.
        let isAlone = imports.isDisjoint(with: ["import AlcedoAF", "import AlcedoGTK"])
        let needsGTK = imports.contains("import AlcedoGTK")
        let name = page.deletingPathExtension().lastPathComponent.filter { $0.isLetter || $0.isNumber }
        var lines = imports.union(isAlone ? ["import Alcedo"] : []).sorted()
        for sample in samples {
            lines += [
                "", "@MainActor private func sample\(name)\(sample.line)(\(sample.needs)) async throws {",
                "#sourceLocation(file: \"\(page.path)\", line: \(sample.line))", sample.body,
                "#sourceLocation()", "}",
            ]
        }
        if needsGTK { lines = ["#if GTK"] + lines + ["#endif"] }
        return lines.joined(separator: "\n") + "\n"
    }

    enum Failure: Error {
        case usage
        case unfinished(page: String, line: Int)
        case unknownComment(page: String, line: Int, String)
    }
}
