import Alcedo
import Foundation
import Synchronization

#if Memcached
    import AlcedoMemcached
#endif

/// One process of a fleet that shares a cache.
///
/// `FleetTrials SERVERS BARRIER URL COUNT WAIT`: waits until the server answers for BARRIER, then loads URL as often as COUNT says at
/// the same time, and prints how many loads have delivered an image and how many have failed. WAIT is how many seconds a load waits
/// for another process that fetches the same. Once all loads share transfers at the same time, it tells the server so, at
/// BARRIER/joined.
@main
enum FleetTrials {
    static func main() async throws {
        #if Memcached
            let words = CommandLine.arguments
            guard words.count == 6, let barrier = URL(string: words[2]), let url = URL(string: words[3]),
                let count = Int(words[4]), let wait = Double(words[5])
            else { return print("usage: FleetTrials SERVERS BARRIER URL COUNT WAIT") }
            // Limits that do not expire, because many processes share few cores here.
            let store = try MemcachedStore(
                servers: words[1].split(separator: ",").map(String.init),
                settings: MemcachedSettings {
                    $0.connectTimeout = .seconds(60)
                    ($0.pollTimeout, $0.callTimeout) = (.seconds(60), .seconds(300))
                })
            let cache = ImageCache(name: "fleet")
            cache.sharedCache = SharedImageCache(
                store,
                settings: SharedCacheSettings {
                    ($0.lookupTimeout, $0.writeTimeout) = (.seconds(300), .seconds(300))
                    ($0.leaseTime, $0.leaseWait) = (.seconds(1_200), .seconds(wait))
                    $0.missingTimeToLive = .seconds(1_200)
                    $0.epoch = .fixed(1)
                    $0.secrets = [Data("a secret of the fleet".utf8)]
                })
            let downloader = ImageDownloader(name: "fleet")
            downloader.downloadTimeout = 1_200
            let manager = KingfisherManager(downloader: downloader, cache: cache)
            let tell: @Sendable (URL) async -> Void = { url in
                _ = try? await manager.retrieveImage(
                    with: url, options: [.forceRefresh, .cacheLayers(write: [])])
            }
            await tell(barrier)
            let transfers = TransferCounter(until: count) {
                Task { await tell(barrier.appendingPathComponent("joined")) }
            }
            let delivered = await withTaskGroup(of: Bool.self) { group in
                for _ in 0..<count {
                    group.addTask {
                        (try? await manager.retrieveImage(with: url, options: [.observers([transfers])]))
                            != nil
                    }
                }
                var delivered = 0
                for await isDelivered in group where isDelivered { delivered += 1 }
                return delivered
            }
            try await manager.shutdown(within: .seconds(300))
            let counts = cache.sharedCache?.counts ?? SharedCacheCounts()
            print("delivered=\(delivered) failed=\(count - delivered) won=\(counts.leasesWon)")
        #endif
    }
}

/// Runs an action once as many loads as `count` have a transfer, their own or another's.
private final class TransferCounter: ImageLoadObserver {
    private let remaining: Atomic<Int>
    private let action: @Sendable () -> Void

    init(until count: Int, _ action: @escaping @Sendable () -> Void) {
        remaining = Atomic(count)
        self.action = action
    }

    func imageLoad(didReach event: ImageLoadEvent) {
        guard case .transferring = event.stage else { return }
        if remaining.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 { action() }
    }
}
