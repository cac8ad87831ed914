import Alcedo
import AlcedoTestSupport
import Dispatch
import Foundation
import Glibc

/// What an observer costs: `ObserverTrials [ROUNDS]`, in a release build.
///
/// Prints the processor time of 1,000 downloads from a server in another process, and of 100,000 hits in memory, without and
/// with a counter among the observers: the least of the rounds, which alternate, as other programs run too.
@main
enum ObserverTrials {
    private static let downloads = 1_000
    private static let hits = 100_000

    static func main() throws {
        if CommandLine.arguments.contains("serve") { return try serve() }
        let rounds = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 15
        let server = Process()
        let (output, input) = (Pipe(), Pipe())
        server.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        server.arguments = ["serve"]
        (server.standardOutput, server.standardInput) = (output, input)
        try server.run()
        let origin = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
            .trimmingCharacters(in: .newlines)
        let urls = (0..<downloads).compactMap { URL(string: "\(origin)/\($0)") }
        let folder = try TemporaryDirectory()
        let cache = try ImageCache(name: "trial", cacheDirectoryURL: folder.url)
        let manager = KingfisherManager(downloader: ImageDownloader(name: "trial"), cache: cache)
        compare("\(downloads) downloads", rounds, manager) {
            load(urls, with: manager, [.forceRefresh, .cacheMemoryOnly])
        }
        let hit = Array(repeating: urls[0], count: hits)
        compare("\(hits) hits in memory", rounds, manager) { load(hit, with: manager, []) }
        try input.fileHandleForWriting.close()
        server.waitUntilExit()
    }

    /// Serves a picture under each path until standard input ends.
    private static func serve() throws {
        let server = try LoopbackServer()
        let picture = try Fixture.data("jpeg/testorig.jpg")
        for number in 0..<downloads { server.serve("/\(number)", picture) }
        // At once: what is printed to a pipe is buffered.
        FileHandle.standardOutput.write(Data(server.address("\n").utf8))
        _ = readLine()
    }

    private static func load(
        _ urls: [URL], with manager: KingfisherManager, _ options: KingfisherOptionsInfo
    ) {
        let pending = DispatchGroup()
        for url in urls {
            pending.enter()
            manager.retrieveImage(with: url, options: options + [.callbackQueue(.untouch)]) { result in
                if case .failure(let error) = result { fatalError("\(error)") }
                pending.leave()
            }
        }
        pending.wait()
    }

    private static func compare(
        _ name: String, _ rounds: Int, _ manager: KingfisherManager, _ body: () -> Void
    ) {
        let counter = ImageLoadCounter(cache: manager.cache, downloader: manager.downloader)
        var best = [Double.infinity, .infinity]
        for _ in 0..<rounds {
            for (index, observers) in [[], [counter]].enumerated() {
                manager.observers = LoadHookList(observers)
                let start = processorTime
                body()
                best[index] = min(best[index], processorTime - start)
            }
        }
        let percent = (best[1] / best[0] - 1) * 100
        let counts = counter.counts
        print(name, best[0], "s without,", best[1], "s with an observer:", percent, "% more")
        print("counted", counts.started, "loads in", rounds, "rounds,", counts.failed, "failed")
    }

    /// User and system time of this process, in seconds.
    private static var processorTime: Double {
        var usage = rusage()
        getrusage(RUSAGE_SELF.rawValue, &usage)
        let micros = usage.ru_utime.tv_usec + usage.ru_stime.tv_usec
        return Double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) + Double(micros) / 1e6
    }
}
