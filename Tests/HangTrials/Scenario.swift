import Alcedo
import AlcedoTestSupport
import Foundation

/// Something that a program does, of which any call of the system may hang.
struct Scenario: Sendable {
    let name: String

    /// The folder in which calls are hit.
    let folder: String

    /// Seconds until it has to end while one call hangs.
    let bound: Double

    var prepare: @Sendable (Place) async throws -> Void = { _ in }

    /// Returns the outcome.
    let act: @Sendable (Place) async -> String

    /// A read that takes 5 s fails, which a check finds out that comes every 5 s; and what a busy machine adds.
    private static let stall = 15.0

    /// A read of a file of the program's fails after 15 s, which a check finds out that comes every second.
    private static let read = 15.0 + 2 + 5

    static let all: [Scenario] = [
        Scenario(
            name: "load from the disk", folder: "cache", bound: stall + 2,
            prepare: { place in
                _ = await place.load("picture", [.waitForCache])
                place.cache.clearMemoryCache()
            },
            act: { await $0.load() }),
        Scenario(name: "load", folder: "cache", bound: stall + 2, act: { await $0.load() }),
        Scenario(
            name: "load and wait for the disk", folder: "cache", bound: 2 * stall + 2,
            act: { await $0.load("picture", [.waitForCache]) }),
        Scenario(
            name: "load behind a store", folder: "cache", bound: 2 * stall + 2,
            act: { place in
                _ = await place.load("first")
                return await place.load("second")
            }),
        Scenario(
            name: "store", folder: "cache", bound: 2 * stall + 2,
            act: { place in
                await outcome { try await place.cache.storeToDisk(place.picture, forKey: "key") }
            }),
        Scenario(
            name: "replace", folder: "cache", bound: 2 * stall + 2,
            prepare: { try await $0.cache.storeToDisk($0.picture, forKey: "key") },
            act: { place in
                await outcome { try await place.cache.storeToDisk(place.picture, forKey: "key") }
            }),
        Scenario(
            name: "remove", folder: "cache", bound: 2 * stall + 2,
            prepare: { try await $0.cache.storeToDisk($0.picture, forKey: "key") },
            act: { place in await outcome { try await place.cache.removeImage(forKey: "key") } }),
        Scenario(
            name: "clear", folder: "cache", bound: 2 * stall + 2,
            prepare: { try await $0.cache.storeToDisk($0.picture, forKey: "key") },
            act: { place in await outcome { await place.cache.clearCache() } }),
        Scenario(
            name: "clean", folder: "cache", bound: 2 * stall + 2,
            prepare: { place in
                place.cache.diskStorage.config.sizeLimit = 1 << 20
                try await place.cache.storeToDisk(place.picture, forKey: "key", expiration: .seconds(0.01))
            },
            act: { place in await outcome { await place.cache.cleanExpiredCache() } }),
        Scenario(
            name: "size", folder: "cache", bound: 2 * stall + 2,
            prepare: { try await $0.cache.storeToDisk($0.picture, forKey: "key") },
            act: { place in await outcome { _ = try await place.cache.diskStorageSize } }),
        Scenario(
            name: "is it cached", folder: "cache", bound: stall + 2,
            prepare: { try await $0.cache.storeToDisk($0.picture, forKey: "key") },
            act: { "\(await $0.cache.imageCachedTypeAsync(forKey: "key"))" }),
        Scenario(
            name: "load, then shut down within 3 s", folder: "cache", bound: stall + 5,
            act: { place in
                _ = await place.load()
                return await outcome { try await place.manager.shutdown(within: .seconds(3)) }
            }),
        Scenario(
            name: "file URL", folder: "files", bound: read,
            act: { await $0.load(.network($0.file), [.cacheMemoryOnly]) }),
        Scenario(
            name: "file provider", folder: "files", bound: read,
            act: {
                await $0.load(.provider(LocalFileImageDataProvider(fileURL: $0.file)), [.cacheMemoryOnly])
            }),
        Scenario(
            name: "HTTP cache, miss", folder: "responses", bound: stall + 2,
            prepare: { $0.keepResponses() },
            act: { await $0.load("picture", [.cacheMemoryOnly]) }),
        Scenario(
            name: "HTTP cache, hit", folder: "responses", bound: stall + 2,
            prepare: { place in
                let responses = place.keepResponses()
                _ = await place.load("picture", [.cacheMemoryOnly])
                try await responses.flush(within: .seconds(10))
            },
            act: { await $0.load("picture", [.cacheMemoryOnly, .forceRefresh]) }),
        Scenario(
            name: "resumable download", folder: "parts", bound: stall + 2,
            prepare: { place in
                place.manager.downloader.resumableDownloads = ResumableDownloads(
                    directory: URL(fileURLWithPath: place.folder("parts")))
            },
            act: { await $0.load("picture", [.cacheMemoryOnly]) }),
    ]

    /// `done`, or the error.
    private static func outcome(_ body: () async throws -> Void) async -> String {
        do {
            try await body()
            return "done"
        } catch {
            return "\(error)"
        }
    }
}
