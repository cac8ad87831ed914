import Foundation

/// Generates a source file from a page's Swift samples: `SampleExtractor PAGE OUTPUT`.
///
/// Each sample becomes the body of a function on the main actor. A comment before it adds parameters or excludes it:
///
///     <!-- sample needs: url: URL, imageView: ImageView -->
///     <!-- sample: manifest -->
///     <!-- sample: file Examples/Thumbnails/Thumbnails.swift -->
///
/// `needs` lists the parameters of the function; a manifest is not compiled. Neither is the text of a file, which an
/// example's target compiles; `scripts/check-programs.py` compares the two.
@main
enum SampleExtractor {
    static func main() {
        guard CommandLine.arguments.count == 3 else { fail("usage: SampleExtractor PAGE OUTPUT") }
        let page = URL(fileURLWithPath: CommandLine.arguments[1])
        do {
            let text = try String(contentsOf: page, encoding: .utf8)
            let source = Self.source(of: try Sample.all(in: text), on: page)
            try Data(source.utf8).write(to: URL(fileURLWithPath: CommandLine.arguments[2]))
        } catch let error as Sample.Mistake {
            fail("\(page.path):\(error.line): error: \(error.text)")
        } catch {
            fail("\(page.path): error: \(error.localizedDescription)")
        }
    }

    private static func fail(_ message: String) -> Never {
        FileHandle.standardError.write(Data((message + "\n").utf8))
        exit(1)
    }

    private static func source(of samples: [Sample], on page: URL) -> String {
        let imports = Set(samples.flatMap(\.imports)).union(["import Foundation"])
        // Alcedo and the modules on top of it share names.
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
}
