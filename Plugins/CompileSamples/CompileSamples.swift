import Foundation
import PackagePlugin

/// Has the Swift samples of the README, the pages in `docs` and the documentation articles compiled as a part of a target.
@main
struct CompileSamples: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        let root = context.package.directoryURL
        let tool = try context.tool(named: "SampleExtractor").url
        return try pages(in: root).map { page in
            let folder = page.deletingLastPathComponent()
            let name =
                (folder == root ? "" : folder.deletingPathExtension().lastPathComponent)
                + page.deletingPathExtension().lastPathComponent
            let output = context.pluginWorkDirectoryURL.appending(path: "\(name)Samples.swift")
            return .buildCommand(
                displayName: "Extracting the samples of \(name)", executable: tool,
                arguments: [page.path, output.path], inputFiles: [page], outputFiles: [output])
        }
    }

    private func pages(in root: URL) throws -> [URL] {
        let folders =
            [root, root.appending(path: "docs")] + (try articles(in: root.appending(path: "Sources")))
        return try folders.flatMap { folder in
            try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
                .filter {
                    $0.pathExtension == "md"
                        && ($0.deletingLastPathComponent() != root || $0.lastPathComponent == "README.md")
                }
        }
    }

    /// The folders of articles, one for each product that has some.
    private func articles(in sources: URL) throws -> [URL] {
        try FileManager.default.contentsOfDirectory(at: sources, includingPropertiesForKeys: nil)
            .map { $0.appending(path: "\($0.lastPathComponent).docc") }
            .filter { FileManager.default.fileExists(atPath: $0.path) }
    }
}
