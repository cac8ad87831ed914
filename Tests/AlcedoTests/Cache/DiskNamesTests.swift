import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import AlcedoCaches
@testable import EngineFixtures

struct `Names of cache files` {
    let folder: TemporaryDirectory
    var config: DiskStorage.Config

    init() throws {
        folder = try TemporaryDirectory()
        config = DiskStorage.Config(name: "names", sizeLimit: 0, directory: folder.url)
    }

    func name(_ key: String, forced: String? = nil) -> String {
        config.fileName(forKey: key, forcedExtension: forced)
    }

    @Test func `names of cache files are lower-case SHA-256 by default`() {
        #expect(name("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        #expect(name("Abc") != name("abc"))
        #expect(name(String(repeating: "x", count: 10_000)).count == 64)
        #expect(name("../../etc/passwd\0").count == 64)
    }

    @Test
    mutating func `a cache file's extension is that of the call, else the configuration, else the key`() {
        config.autoExtAfterHashedFileName = true
        #expect(
            name("https://x.org/a.b.png@p.gif").hasSuffix("\(sha256Hex("https://x.org/a.b.png@p.gif")).png"))
        config.pathExtension = "jpg"
        #expect(name("https://x.org/a.png").hasSuffix(".jpg"))
        #expect(name("https://x.org/a.png", forced: "webp").hasSuffix(".webp"))
        config.usesHashedFileName = false
        #expect(name("key", forced: "webp") == "key.webp")
        #expect(name("key") == "key.jpg")
    }

    @Test(arguments: ["https://x.org/a", "a.", "a.b?c=1", "a.abcdefghijklmnopqrstu", "a@b.png", "a"])
    func `a cache file takes no extension from a key that has none`(key: String) {
        var config = config
        config.autoExtAfterHashedFileName = true
        #expect(config.fileName(forKey: key, forcedExtension: nil) == sha256Hex(key))
    }

    @Test mutating func `a cache file's name without hashing is the key, made harmless where it is not`() {
        config.usesHashedFileName = false
        #expect(name("cat picture@round.v2") == "cat picture@round.v2")
        #expect(name("../../etc/passwd") == "%2E.%2F..%2Fetc%2Fpasswd")
        #expect(name("..") == "%2E.")
        #expect(name(".alcedo-1-1") == "%2Ealcedo-1-1")
        #expect(name("a\0b") == "a%00b")
        #expect(name("a/b") != name("a%2Fb"))
        #expect(name("") == sha256Hex(""))
        #expect(name(String(repeating: "é", count: 127)) == String(repeating: "é", count: 127))
        #expect(name(String(repeating: "é", count: 128)).count == 64)
    }

    @Test(arguments: ["a/../../b", String(repeating: "x", count: 300), "\0"])
    func `a cache file stays in its folder, whatever the extension`(forced: String) {
        for hashes in [true, false] {
            var config = config
            config.usesHashedFileName = hashes
            let name = config.fileName(forKey: "key", forcedExtension: forced)
            #expect(!name.contains("/") && !name.utf8.contains(0) && name.utf8.count <= 255)
        }
    }

    @Test(arguments: [
        "../escape", String(repeating: "k", count: 10_240), "zero\0byte", "Case", "case", ".", "",
    ])
    func `a cache without hashed names stores and finds any key`(key: String) throws {
        var config = config
        config.usesHashedFileName = false
        let storage = try DiskStorage.Backend<Data>(config: config)
        try storage.store(value: Data(key.utf8), forKey: key)
        #expect(try storage.value(forKey: key) == Data(key.utf8))
        #expect(storage.fileNames.count == 1)
        #expect(
            storage.cacheFileURL(forKey: key).deletingLastPathComponent().path == storage.directoryURL.path)
        #expect(FileManager.default.fileExists(atPath: storage.cacheFileURL(forKey: key).path))
        try storage.remove(forKey: key)
        #expect(storage.fileNames == [])
    }
}
