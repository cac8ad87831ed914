import Alcedo
import AlcedoTestSupport
import CFaults
import Foundation
import Glibc

/// Loads while one kind of system call fails in the cache folder, at each place where it is made.
struct FaultTrial {
    private static let errors = [ENOSPC, EDQUOT, EIO, EMFILE, EROFS]

    /// Calls without which an entry can't be written.
    private static let essential: Set = [
        "open", "write", "futimens", "fsetxattr", "close", "rename", "mkdir",
    ]

    let call: String
    let error: Int32
    let sizeLimit: UInt
    /// Which of the calls fails, counted from 1.
    let first: Int
    /// Whether all after it fail, too.
    let isLasting: Bool

    static func run(call: String) async throws {
        let picture = try Pictures()
        var (cases, faults) = (0, 0)
        for error in errors {
            for sizeLimit in [0, 1 << 20] as [UInt] {
                var (first, isReached) = (1, true)
                while isReached {
                    for isLasting in [false, true] {
                        let trial = FaultTrial(
                            call: call, error: error, sizeLimit: sizeLimit, first: first, isLasting: isLasting
                        )
                        let seen = try await trial.run(picture)
                        isReached = seen >= first
                        cases += 1
                        faults += isReached ? 1 : 0
                    }
                    first += 1
                }
            }
        }
        print("cases=\(cases) faults=\(faults)")
    }

    /// Returns how often the call was made.
    private func run(_ pictures: Pictures) async throws -> Int {
        let parent = try TemporaryDirectory()
        let notices = try Notices()
        let cache = try ImageCache(name: "trial", cacheDirectoryURL: parent.url)
        cache.diskStorage.config.sizeLimit = sizeLimit
        let manager = KingfisherManager(downloader: ImageDownloader(name: "trial"), cache: cache)
        let folder = cache.diskStorage.directoryURL.path
        for key in ["kept", "replaced"] { try cache.diskStorage.store(value: pictures.old, forKey: key) }
        if call == "mkdir" { try FileManager.default.removeItem(atPath: folder) }

        let fault = alcedo_faults_add("fail=\(error) \(call) \(folder) \(first) \(isLasting ? Int32.max : 1)")
        for (key, options) in [("new", []), ("replaced", [.forceRefresh]), ("kept", [])]
            as [(String, KingfisherOptionsInfo)]
        {
            await load(key, pictures.new, with: manager, options)
        }
        cache.clearMemoryCache()
        await load("kept", pictures.new, with: manager, [])
        let seen = Int(alcedo_faults_remove(fault))

        for key in ["kept", "new", "replaced"] { check(key, pictures, in: cache) }
        let left = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        for name in left where name.hasPrefix(".alcedo-\(getpid())") { report("\(name) is left") }
        // A disk that works again is used again.
        try? cache.diskStorage.store(value: pictures.new, forKey: "later")
        if try cache.diskStorage.value(forKey: "later") != pictures.new { report("nothing is stored later") }
        let count = try notices.end()
        let isNeeded = isLasting && seen >= first && first == 1 && Self.essential.contains(call)
        if count > 1 || isNeeded && count == 0 { report("\(count) notices") }
        return seen
    }

    private func load(
        _ key: String, _ bytes: Data, with manager: KingfisherManager, _ options: KingfisherOptionsInfo
    ) async {
        do {
            let provider = RawImageDataProvider(data: bytes, cacheKey: key)
            let result = try await manager.retrieveImage(
                with: .provider(provider), options: options + [.waitForCache, .callbackQueue(.untouch)])
            if result.image.size.width != 7 { report("\(key) is \(result.image.size)") }
        } catch {
            report("\(key) failed: \(error)")
        }
        if manager.cache.retrieveImageInMemoryCache(forKey: key) == nil { report("\(key) is not in memory") }
    }

    private func check(_ key: String, _ pictures: Pictures, in cache: ImageCache) {
        let value = try? cache.diskStorage.value(forKey: key)
        let isSound =
            switch key {
            // What can't be read is loaded again.
            case "kept" where !["mkdir", "open", "fstat", "read"].contains(call): value == pictures.old
            case "new": value == nil || value == pictures.new
            default: value == pictures.old || value == pictures.new || call == "mkdir" && value == nil
            }
        if !isSound { report("\(key) has \(value?.count ?? -1) bytes on disk") }
    }

    private func report(_ problem: String) {
        print(
            "\(call) \(POSIXErrorCode(rawValue: error).map { "\($0)" } ?? "") \(first)"
                + "\(isLasting ? "…" : "") limit \(sizeLimit): \(problem)")
    }
}

/// Two pictures of one size, so that either will do.
private struct Pictures {
    let old: Data
    let new: Data

    init() throws {
        old = Data(try Fixture.data("made/odd-7x9.jpg"))
        new = old + Data([0])
    }
}

/// Counts the lines that are written to the standard error.
private struct Notices {
    private let file: TemporaryDirectory
    private let saved: Int32

    init() throws {
        file = try TemporaryDirectory()
        saved = dup(2)
        let descriptor = open(file.file("notices").path, O_CREAT | O_WRONLY | O_APPEND, 0o600)
        dup2(descriptor, 2)
        close(descriptor)
    }

    func end() throws -> Int {
        dup2(saved, 2)
        close(saved)
        return try Data(contentsOf: file.file("notices")).count { $0 == UInt8(ascii: "\n") }
    }
}
