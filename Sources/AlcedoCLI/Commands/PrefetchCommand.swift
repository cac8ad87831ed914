import Alcedo
import AlcedoConsole
import AlcedoLocks
import Foundation

/// `alcedo prefetch`: loads a list of images into the cache.
struct PrefetchCommand: Command {
    static let name = "prefetch"
    static let synopsis = "prefetch [FILE|-] [OPTION]… [--json]"
    static let summary = "Loads the URLs that a file lists into the disk cache."
    static let details = """
        FILE has one URL on each line; empty lines and lines that start with # are skipped. Without FILE, or
        with -, reads standard input.

          --json             print one JSON object for each failure, and one for the totals
        \(Jobs.details)
        \(LoadOptions.details)
        """
    static let examples = [
        Example(
            #"alcedo prefetch urls.txt --jobs 16"#,
            "fills the cache, 16 images at a time"),
        Example(
            #"grep -o 'https://[^"]*\.jpg' page.html | alcedo prefetch"#,
            "takes the list from a pipe"),
    ]
    static let options: [Arguments.Option] = [.flag("json"), Jobs.option] + LoadOptions.options

    private struct Totals: Sendable {
        var loaded = 0
        var cached = 0
        var failed = 0
    }

    private let path: String
    private let printsJSON: Bool
    private let jobs: Int
    private let load: LoadOptions

    init(_ arguments: Arguments) throws {
        guard arguments.operands.count <= 1 else { throw UsageError(message: "prefetch reads one list") }
        path = arguments.operands.first ?? "-"
        printsJSON = arguments.has("json")
        jobs = try Jobs.count(arguments)
        load = try LoadOptions(arguments)
    }

    func run() async throws -> ExitCode {
        let lines = try LineReader(path: path)
        let totals = Lock(Totals())
        _ = try await forEachConcurrently(lines, jobs: jobs) { word in
            do {
                let isCached = try await prefetch(word)
                totals.withLock { if isCached { $0.cached += 1 } else { $0.loaded += 1 } }
                return true
            } catch {
                try Task.checkCancellation()
                Failure(word, error).report(on: word, asJSON: printsJSON)
                totals.withLock { $0.failed += 1 }
                return false
            }
        }
        try Task.checkCancellation()
        let sum = totals.withLock { $0 }
        Terminal.print(
            printsJSON
                ? jsonLine(["loaded": sum.loaded, "cached": sum.cached, "failed": sum.failed])
                : "\(sum.loaded) loaded, \(sum.cached) in the cache already, \(sum.failed) failed\n"
        )
        if let failure = lines.failure { throw failure }
        return sum.failed == 0 ? .success : .failure
    }

    /// Returns whether the image was cached already.
    private func prefetch(_ word: String) async throws -> Bool {
        guard word != Input.standardInput else { throw Failure("-: prefetch loads URLs, not standard input") }
        let (input, cache) = (try Input(word), CommandCache.shared)
        let url = input.url
        guard await !cache.imageCachedTypeAsync(forKey: url.cacheKey).cached else { return true }
        let result = try await CommandCache.manager.retrieveImage(
            with: url, options: [.waitForCache, .backgroundDecode] + load.options(for: input))
        guard await !cache.hasLanded(forKey: url.cacheKey) else { return false }
        // The store failed, or another process has removed the entry; storing it again reports the error.
        guard let data = result.data() else { throw Failure("it was loaded but cannot be stored") }
        try await cache.storeToDisk(data, forKey: url.cacheKey)
        return false
    }
}
