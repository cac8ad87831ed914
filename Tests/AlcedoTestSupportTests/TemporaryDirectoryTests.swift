import AlcedoTestSupport
import Foundation
import Testing

@Suite(.timeLimit(.minutes(10)))
struct `A temporary directory` {
    @Test func `a temporary directory is new, empty and the user's own`() throws {
        let (one, two) = (try TemporaryDirectory(), try TemporaryDirectory())
        #expect(one.path != two.path)
        #expect(try FileManager.default.contentsOfDirectory(atPath: one.path).isEmpty)
        let mode = try FileManager.default.attributesOfItem(atPath: one.path)[.posixPermissions] as? Int
        #expect(mode == 0o700)
    }

    @Test func `a temporary directory goes away with all that is in it`() throws {
        var directory: TemporaryDirectory? = try TemporaryDirectory()
        let path = try #require(directory?.path)
        let file = try #require(directory?.file("a"))
        try Data([1]).write(to: file)
        #expect(FileManager.default.fileExists(atPath: path + "/a"))
        directory = nil
        #expect(!FileManager.default.fileExists(atPath: path))
    }
}
