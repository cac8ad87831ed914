import Alcedo
import AlcedoConsole
import AlcedoTestSupport
import Foundation

/// Loads a gallery three times, from the network, from disk and from memory, and draws a contact sheet.
@main
enum Demo {
    private static let folder = URL(fileURLWithPath: "build/demo", isDirectory: true)

    static func main() async {
        do {
            let words = Array(CommandLine.arguments.dropFirst())
            exit(words.isEmpty ? try await showGallery() : try await show(words))
        } catch {
            Terminal.printError("demo: \(error)\n")
            exit(1)
        }
    }

    private static func showGallery() async throws -> Int32 {
        let gallery = try Gallery(folder: folder.appendingPathComponent("gallery", isDirectory: true))
        let server = try gallery.serve()
        defer { server.stop() }
        return try await show(gallery.fileNames.map { server.url("/\($0)") })
    }

    private static func show(_ words: [String]) async throws -> Int32 {
        try await show(
            words.map { word in
                guard let url = URL(string: word), url.scheme != nil else {
                    throw DemoError(
                        description: "\(word) is not a URL. For a file, use file:// and its path.")
                }
                return url
            }
        )
    }

    private static func show(_ urls: [URL]) async throws -> Int32 {
        let run = try Run(urls: urls, cacheFolder: folder.appendingPathComponent("cache", isDirectory: true))
        let passes = try await run.passes()
        var table = Table(["pass", "images", "bytes", "time", "images/s", "where they came from"])
        for pass in passes { table.add(pass.row) }
        Terminal.print("\n" + table.text)
        guard let images = passes.last?.images, !images.isEmpty else { return 1 }
        let sheet = folder.appendingPathComponent("contact-sheet.png")
        try ContactSheet(images: images, passes: passes).draw().write(to: sheet, options: .atomic)
        Terminal.print("\nContact sheet: \(sheet.relativePath)\n")
        return passes.contains { $0.failures > 0 } ? 1 : 0
    }
}

struct DemoError: Error, CustomStringConvertible {
    let description: String
}
