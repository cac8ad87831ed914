import AlcedoTestSupport
import Foundation
import Testing

@Suite(.timeLimit(.minutes(10)))
struct `A program that ends at once` {
    /// Returns from `main`, calls `exit` in a completion, and does so below a run loop.
    @Test(arguments: ["AsyncMain", "DispatchMain", "RunLoopMain"])
    func `a program that ends at once has left its image on disk`(example: String) async throws {
        for _ in 0..<7 {
            let folder = try TemporaryDirectory()
            let picture = Fixture.url("jpeg/testorig.jpg")
            _ = try await BuiltProgram.output(of: example, [picture.path], in: folder)
            let bytes = try Data(contentsOf: picture)
            #expect(files(in: folder).contains { (try? Data(contentsOf: $0)) == bytes })
        }
    }

    private func files(in folder: TemporaryDirectory) -> [URL] {
        let found = FileManager.default.enumerator(at: folder.url, includingPropertiesForKeys: nil)
        return found?.compactMap { $0 as? URL } ?? []
    }
}
