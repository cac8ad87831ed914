#if Server
    import Alcedo
    import Foundation

    /// What an image server keeps while its rules change: caches and connections.
    package struct ServingEngine: Sendable {
        private let engine: ServerEngine

        /// The cache that machines share; nil without one.
        package let shared: SharedTier?

        /// Opens the caches that the settings name.
        package init(_ settings: ServerSettings) throws {
            try self.init(settings, shared: SharedTier(settings.cache))
        }

        /// Opens the disk cache that the settings name, in front of a shared cache if there is one.
        init(_ settings: ServerSettings, shared: SharedTier?) throws {
            self.shared = shared
            engine = ServerEngine(
                cache: settings.cache.disk > 0 ? try Self.cache(settings.cache) : nil, shared: shared?.cache,
                memoryBytes: settings.cache.memory << 20, workers: settings.workers)
        }

        /// The images that are processed, and those that wait for that.
        package var workers: Admission { engine.workers }

        /// Which sources respond.
        package var sources: SourceWatch { engine.sources }

        /// Makes a responder for these settings.
        package func responder(
            _ settings: ServerSettings, gate: @escaping ImageServer.Gate
        ) -> ImageService.Responder {
            var sources = settings.sources
            sources.addressPolicy = settings.addresses.policy
            let responder = ImageResponder(
                rules: settings.urls, sources: sources, answers: settings.answers, engine: engine, gate: gate)
            return ImageService.Responder(
                atOnce: { responder.answerAtOnce($0) }, answer: { await responder.answer($0) })
        }

        /// Waits until all results are on the disk and in the shared cache.
        package func shutDown(within seconds: Double = 5) async throws {
            try await engine.flush(within: seconds)
        }

        private static func cache(_ settings: ServerCacheSettings) throws -> ImageCache {
            let folder = settings.folder.map { URL(fileURLWithPath: $0) }
            let cache = try ImageCache(name: "alcedo-serve", cacheDirectoryURL: nil) { caches, name in
                folder ?? caches.appendingPathComponent(name)
            }
            cache.diskStorage.config.sizeLimit = UInt(settings.disk) << 20
            return cache
        }
    }

    extension SourceAddresses {
        fileprivate var policy: AddressPolicy {
            var ranges: AddressRanges = []
            if allowsLoopback { ranges.insert(.loopback) }
            if allowsLinkLocal { ranges.insert(.linkLocal) }
            if allowsPrivate { ranges.insert(.privateNetworks) }
            return ranges.isEmpty ? .publicOnly : .publicAnd(ranges)
        }
    }
#endif
