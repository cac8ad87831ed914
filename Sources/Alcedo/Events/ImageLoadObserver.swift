/// Observes loads: which stages they pass through, and how long each takes.
///
/// Set in ``KingfisherManager/observers`` for all loads of a manager, or as the option `observers` for one load. Loads without
/// an observer create no events.
public protocol ImageLoadObserver: Sendable {
    /// Called for each event of a load, in order, and never for two events of one load at a time.
    ///
    /// Events of different loads come at the same time. Called on the thread that reached the stage, such as the caller's,
    /// the network's or a worker's, without any lock; must return quickly, because it delays that load and, on the network
    /// thread, all transfers. It may start and cancel loads.
    ///
    /// The last event is exactly one that ``ImageLoadEvent/Stage/isEnd``. It comes before the load's completion, on the same
    /// thread, unless this method is still busy with an earlier event of the load on another thread: that one then delivers
    /// the rest.
    func imageLoad(didReach event: ImageLoadEvent)
}

/// A stage that a load has reached; the stage lasts until the load's next event.
public struct ImageLoadEvent: Sendable {
    /// Identifies the load within this process; all events of a load have the same.
    public private(set) var loadID: Int

    /// The source of the call.
    public private(set) var source: Source

    public let time: ContinuousClock.Instant
    public let stage: Stage

    public init(loadID: Int, source: Source, time: ContinuousClock.Instant, stage: Stage) {
        self.loadID = loadID
        self.source = source
        self.time = time
        self.stage = stage
    }
}

extension ImageLoadEvent {
    /// A stage of a load.
    ///
    /// A memory hit reaches `queued`, `cacheLookedUp` and `delivered`; a download without a processor all up to `storing`.
    public enum Stage: Sendable {
        /// The load was called; it looks into the caches.
        case queued

        /// The caches were looked up: `tier` has the image, or the original to process; `.none` is a miss.
        case cacheLookedUp(tier: CacheTier, isOriginal: Bool)

        /// The download was queued, until it may start.
        case waiting

        /// The load shares the download of another load; `transferring` follows if that is in flight already.
        case coalesced

        /// The downloader has started the transfer, or the provider was asked for its data.
        case transferring

        /// The bytes are there, and wait for a thread that decodes them; a provider and a file have no metrics.
        // Boxed, as are other large payloads, so that events are small.
        indirect case transferred(bytes: Int, metrics: NetworkMetrics?)

        /// Headers are read, and pixels too if an option wants them before the completion.
        case decoding(bytes: Int)

        /// The processor runs; if it gets `bytes`, it decodes them in the same pass. Nil for an original from a cache.
        case processing(identifier: String, bytes: Int?)

        /// The image is stored in memory and queued for the disk; `bytes` are those it was created from.
        ///
        /// The load waits for the disk only with the option `waitForCache`.
        case storing(bytes: Int?)

        /// The last attempt failed; another one of this source follows, after a pause of the retry strategy.
        indirect case retrying(Source, after: KingfisherError)

        /// The load ends with an image; `tier` is the cache that had it, `.none` if it was loaded or processed.
        case delivered(tier: CacheTier)

        indirect case failed(KingfisherError)
        case cancelled

        public var isEnd: Bool {
            switch self {
            case .delivered, .failed, .cancelled: true
            default: false
            }
        }

        public var name: String {
            switch self {
            case .queued: "queued"
            case .cacheLookedUp: "cacheLookedUp"
            case .waiting: "waiting"
            case .coalesced: "coalesced"
            case .transferring: "transferring"
            case .transferred: "transferred"
            case .decoding: "decoding"
            case .processing: "processing"
            case .storing: "storing"
            case .retrying: "retrying"
            case .delivered: "delivered"
            case .failed: "failed"
            case .cancelled: "cancelled"
            }
        }

        public var bytes: Int? {
            switch self {
            case .transferred(let bytes, _), .decoding(let bytes): bytes
            case .processing(_, let bytes), .storing(let bytes): bytes
            default: nil
            }
        }

        /// The cache that had the image; nil for a stage that is about no cache.
        public var tier: CacheTier? {
            switch self {
            case .cacheLookedUp(let tier, _), .delivered(let tier): tier
            default: nil
            }
        }

        /// Why an attempt or the load failed; nil for other stages.
        public var error: KingfisherError? {
            switch self {
            case .retrying(_, let error), .failed(let error): error
            default: nil
            }
        }
    }
}

extension ImageLoadEvent.Stage {
    var isCancelled: Bool { if case .cancelled = self { true } else { false } }

    static func making(of bytes: Int, with options: KingfisherParsedOptionsInfo) -> Self {
        options.processor is DefaultImageProcessor
            ? .decoding(bytes: bytes) : .processing(identifier: options.processor.identifier, bytes: bytes)
    }

    init(ofEnd error: KingfisherError) {
        self = error.isTaskCancelled ? .cancelled : .failed(error)
    }
}
