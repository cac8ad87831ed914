import Alcedo
import Foundation

/// Draws the images of the documentation, which show the effect of each processor.
@main
enum DocsImages {
    static func main() {
        guard CommandLine.arguments.count == 2 else {
            fail("usage: AlcedoDocsImages FOLDER")
        }
        let folder = URL(fileURLWithPath: CommandLine.arguments[1], isDirectory: true)
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            for page in try Page.all() {
                let sheet = try page.draw()
                let quality = EncodeOptions { $0.quality = 0.88 }
                let file = folder.appendingPathComponent(page.name + ".jpg")
                try sheet.data(as: .jpeg, options: quality).write(to: file, options: .atomic)
                print(file.relativePath, sheet.pixelSize)
            }
        } catch {
            fail("\(error)")
        }
    }

    private static func fail(_ message: String) -> Never {
        FileHandle.standardError.write(Data("docs-images: \(message)\n".utf8))
        exit(1)
    }
}
