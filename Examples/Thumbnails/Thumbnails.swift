import Alcedo
import Foundation

/// Makes a thumbnail of each photo of a folder: `Thumbnails PHOTOS RESULTS`.
@main
struct Thumbnails {
    let photos: URL
    let results: URL
    let processor = DownsamplingImageProcessor(size: CGSize(width: 320, height: 320))

    static func main() async {
        let folders = CommandLine.arguments.dropFirst().map {
            URL(fileURLWithPath: $0, isDirectory: true).resolvingSymlinksInPath()
        }
        guard folders.count == 2, folders[0].path != folders[1].path else {
            print("usage: Thumbnails PHOTOS RESULTS, which are two folders")
            exit(2)
        }
        guard (try? folders[0].resourceValues(forKeys: [.isDirectoryKey]).isDirectory) == true else {
            print("\(folders[0].path): not a folder")
            exit(1)
        }
        do {
            try FileManager.default.createDirectory(at: folders[1], withIntermediateDirectories: true)
        } catch {
            print("\(folders[1].path): \(error.localizedDescription)")
            exit(1)
        }
        do {
            let failures = try await Thumbnails(photos: folders[0], results: folders[1]).run()
            exit(failures == 0 ? 0 : 1)
        } catch {
            print("\(folders[0].path): \(error.localizedDescription)")
            exit(1)
        }
    }

    /// Returns the number of photos that failed.
    private func run() async throws -> Int {
        let files = try filesToDo()
        return await withTaskGroup(of: Bool.self) { group in
            var next = files.makeIterator()
            for _ in 0..<ProcessInfo.processInfo.activeProcessorCount {
                if let file = next.next() { group.addTask { await makeThumbnail(of: file) } }
            }
            var failures = 0
            for await isMade in group {
                if !isMade { failures += 1 }
                if let file = next.next() { group.addTask { await makeThumbnail(of: file) } }
            }
            print("\(files.count - failures) made, \(failures) failed")
            return failures
        }
    }

    /// The photos without a thumbnail that is as new as they are.
    private func filesToDo() throws -> [URL] {
        try FileManager.default.contentsOfDirectory(at: photos, includingPropertiesForKeys: nil)
            .filter { ["gif", "jpeg", "jpg", "png", "webp"].contains($0.pathExtension.lowercased()) }
            .filter { changeDate(of: thumbnail(of: $0)) < changeDate(of: $0) }
            .sorted { $0.lastPathComponent < $1.lastPathComponent }
    }

    private func changeDate(of file: URL) -> Date {
        let attributes = try? FileManager.default.attributesOfItem(atPath: file.path)
        return attributes?[.modificationDate] as? Date ?? .distantPast
    }

    private func thumbnail(of photo: URL) -> URL {
        let name = photo.lastPathComponent
        return results.appendingPathComponent(photo.pathExtension == "jpg" ? name : "\(name).jpg")
    }

    private func makeThumbnail(of photo: URL) async -> Bool {
        do {
            let small = try await processor.convert(Data(contentsOf: photo), to: .jpeg)
            try small.write(to: thumbnail(of: photo), options: .atomic)
            print("\(photo.lastPathComponent): \(small.count / 1024) KB")
            return true
        } catch {
            print("\(photo.lastPathComponent): \(error.localizedDescription)")
            return false
        }
    }
}
