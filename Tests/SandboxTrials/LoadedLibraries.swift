import Alcedo
import Foundation

/// Which libraries this process loads for an image: `SandboxTrials libraries ISOLATION FILE`.
///
/// Does all that a program can do with an image, and prints a line for each step that loads a library or fails, then
/// the helpers that have a worker. The program's caches are in the folder of `HOME`.
struct LoadedLibraries {
    private let isolation: DecodeSandbox
    private let url: URL
    private let data: Data

    init(_ arguments: [String]) throws {
        isolation =
            switch arguments[0] {
            case "automatic": .automatic
            case "isolated": .preferred
            case "required": .required
            default: .off
            }
        url = URL(fileURLWithPath: arguments[1])
        data = try Data(contentsOf: url)
    }

    func report() async throws {
        if codecs.codec(for: data.bytes) == nil {
            try await step("frame") {
                let provider = AVAssetImageDataProvider(assetURL: url, seconds: 0)
                _ = try await load(.provider(provider), in: cache("frames"))
            }
        } else {
            try await steps()
        }
        let helpers = DecodeSandbox.Program.allCases.filter { DecodeSandbox.level(of: $0) != nil }
        print("workers: \(helpers.map { "\($0)" }.joined(separator: " "))")
    }

    private var limits: DecodeLimits { DecodeLimits(seconds: 300, sandbox: isolation) }

    private var options: KingfisherParsedOptionsInfo { KingfisherParsedOptionsInfo([.decodeLimits(limits)]) }

    private func steps() async throws {
        try await step("format") { _ = codecs.codec(for: data.bytes)?.format(of: data.bytes) }
        try await step("info") { _ = try Image(decoding: data, limits: limits).info }
        let info = try codecs.info(of: data.bytes, limits: limits)
        for size in [nil, PixelSize(width: 8, height: 8)] {
            try await step("estimate") {
                let options = DecodeOptions(atLeast: size, limits: limits)
                _ = codecs.memory(of: data.bytes, info: info, options: options)
            }
        }
        try await step("profile") { _ = try Image(decoding: data, limits: limits).profileName }
        try await step("preview") {
            let codec = try codecs.codec(for: data.bytes, within: limits)
            let start = data.bytes.extracting(first: data.count / 2)
            let options = DecodeOptions(allowsTruncation: true, limits: limits)
            if codec.decodesTruncated { _ = try? codec.decode(start, options: options) }
        }
        try await step("all pixels") { _ = codecs.hasAllPixels(data.bytes, limits: limits) }
        try await step("decoding") { _ = try Image(decoding: data, limits: limits).bitmap() }
        try await step("reduction") {
            let processor = DownsamplingImageProcessor(size: CGSize(width: 8, height: 8))
            try check(processor.process(item: .data(data), options: options))
        }
        try await step("animation") {
            let frames = try EncodedFrames(decoding: data, limits: limits)
            for index in 0..<min(frames.frameCount, 3) { try check(frames.frame(at: index, maxSize: nil)) }
        }
        try await step("preloading") {
            var options = options
            options.preloadAllAnimationData = true
            try check(DefaultImageProcessor.default.process(item: .data(data), options: options))
        }
        try await loads()
    }

    private func loads() async throws {
        let cache = cache("images")
        let file = Source.provider(LocalFileImageDataProvider(fileURL: url, cacheKey: "image"))
        try await step("load") { try await load(file, in: cache) }
        cache.clearMemoryCache()
        try await step("disk") { try await load(file, in: cache) }
        try await step("variants") { _ = await cache.variants(forKey: "image") }
        try await step("thumbnail") {
            let provider = ThumbnailImageDataProvider(url: url, maxPixelSize: 8)
            try await load(.provider(provider), in: self.cache("thumbnails"))
        }
    }

    private func cache(_ name: String) -> ImageCache { ImageCache(name: name) }

    private func load(_ source: Source, in cache: ImageCache) async throws {
        let options: KingfisherOptionsInfo = [
            .decodeLimits(limits), .targetCache(cache), .backgroundDecode, .waitForCache,
        ]
        _ = try await KingfisherManager.shared.retrieveImage(with: source, options: options)
    }

    private struct Nothing: Error {}

    private func check(_ value: Any?) throws { if value == nil { throw Nothing() } }

    /// Runs `body` and prints the libraries that it loaded, and its failure.
    private func step(_ name: String, _ body: () async throws -> Void) async throws {
        let before = try Self.mapped()
        do { try await body() } catch { print("\(name) failed: \(error)") }
        let loaded = try Self.mapped().subtracting(before).sorted()
        if !loaded.isEmpty { print("\(name) loads \(loaded.joined(separator: " "))") }
    }

    /// The names of all libraries in this process.
    private static func mapped() throws -> Set<String> {
        // Foundation takes a short read for the end of the file.
        guard let file = fopen("/proc/self/maps", "re") else { throw Nothing() }
        defer { fclose(file) }
        var maps: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while case let count = fread(&chunk, 1, chunk.count, file), count > 0 { maps += chunk[..<count] }
        let lines = String(decoding: maps, as: UTF8.self).split(separator: "\n")
        let names = lines.compactMap { $0.split(separator: "/").last.map(String.init) }
        return Set(names.filter { $0.contains(".so") })
    }
}
