import Alcedo
import AlcedoConsole
import Foundation

/// Three passes over the same URLs.
struct Run {
    private let urls: [URL]
    private let cacheFolder: URL
    private let downloader = ImageDownloader(name: "demo")
    private let options: KingfisherOptionsInfo = [
        .processor(
            DownsamplingImageProcessor(size: CGSize(width: 360, height: 360))
                |> RoundCornerImageProcessor(radius: .point(18))
        ),
        .backgroundDecode, .waitForCache,
    ]

    init(urls: [URL], cacheFolder: URL) throws {
        self.urls = urls
        self.cacheFolder = cacheFolder
    }

    /// The passes: with empty caches, from disk with a new cache object, and from memory.
    func passes() async throws -> [Pass] {
        let first = try cache()
        await first.clearCache()
        let cold = await load("cold", through: first)
        let second = try cache()
        let disk = await load("disk", through: second)
        let memory = await load("memory", through: second)
        for (index, url) in urls.enumerated() {
            let errors = [cold, disk, memory].compactMap { $0.outcomes[index].error }
            if let error = errors.first {
                Terminal.printError("demo: \(url.absoluteString): \(error)\n")
            }
        }
        return [cold, disk, memory]
    }

    private func cache() throws -> ImageCache {
        try ImageCache(name: "demo", cacheDirectoryURL: cacheFolder)
    }

    private func load(_ name: String, through cache: ImageCache) async -> Pass {
        let manager = KingfisherManager(downloader: downloader, cache: cache)
        let bar = ProgressBar(name.padding(toLength: 6, withPad: " ", startingAt: 0), total: urls.count)
        if !Terminal.showsErrors { Terminal.print("\(name): loading \(urls.count) images\n") }
        let start = ContinuousClock.now
        var outcomes = [Int: Result<RetrieveImageResult, any Error>]()
        await withTaskGroup(of: (Int, Result<RetrieveImageResult, any Error>).self) { group in
            for (index, url) in urls.enumerated() {
                group.addTask { (index, await outcome(of: url, manager: manager)) }
            }
            for await (index, outcome) in group {
                outcomes[index] = outcome
                bar.step()
            }
        }
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        bar.finish()
        return Pass(name: name, outcomes: urls.indices.compactMap { outcomes[$0] }, seconds: seconds)
    }

    private func outcome(
        of url: URL,
        manager: KingfisherManager
    ) async -> Result<RetrieveImageResult, any Error> {
        do {
            return .success(try await manager.retrieveImage(with: url, options: options))
        } catch {
            return .failure(error)
        }
    }
}

struct Pass {
    let name: String

    /// The outcomes in the order of the URLs.
    let outcomes: [Result<RetrieveImageResult, any Error>]
    let seconds: Double

    private var results: [RetrieveImageResult] { outcomes.compactMap { try? $0.get() } }

    var images: [Image] { results.map(\.image) }
    var failures: Int { outcomes.count - results.count }

    /// The bytes that were downloaded, read from disk, or are pixels in memory.
    private var bytes: Int {
        results.reduce(0) { sum, result in
            sum + (result.cacheType == .memory ? result.image.pixelSize.area * 4 : result.data()?.count ?? 0)
        }
    }

    var row: [String] {
        [
            name, "\(images.count)", byteText(bytes), "\(Int((seconds * 1000).rounded())) ms",
            "\(Int((Double(images.count) / seconds).rounded()))", origins,
        ]
    }

    private var origins: String {
        let counts = Dictionary(grouping: results.map(\.cacheType)) { $0 }.mapValues(\.count)
        let parts = [(CacheType.none, "source"), (.disk, "disk"), (.memory, "memory")]
            .compactMap { type, name in counts[type].map { "\($0) \(name)" } }
        return (parts + (failures > 0 ? ["\(failures) failed"] : [])).joined(separator: ", ")
    }
}

extension Result {
    fileprivate var error: Failure? { if case .failure(let error) = self { error } else { nil } }
}
