public import Foundation

/// What a ``SharedImageCache`` keeps, for how long, and how long it is waited for.
///
/// All machines of a fleet need the same ``namespace``, ``epoch`` and ``secrets``.
public struct SharedCacheSettings: Sendable {
    /// Kinds of values.
    public struct Contents: OptionSet, Sendable, Hashable {
        /// One bit for each kind.
        public let rawValue: UInt8

        /// Makes a set of the kinds of these bits.
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// The bytes of a source, of which any machine can create any size.
        public static let originals = Contents(rawValue: 1 << 0)

        /// What processors have created, encoded by the cache serializer.
        public static let processedImages = Contents(rawValue: 1 << 1)
    }

    /// Where the number comes from that makes all former values unreachable when it changes.
    public enum Epoch: Sendable, Equatable {
        /// The store has it, and each machine reads it every 5 s; see ``SharedImageCache/bumpEpoch()``.
        case stored

        /// The program sets it.
        case fixed(Int)
    }

    /// What is kept; both kinds by default.
    public var contents: Contents = [.originals, .processedImages]

    /// Largest value in bytes; 900,000 by default.
    ///
    /// A larger one is neither stored nor tried again.
    public var sizeLimit = 900_000

    /// How long a value is kept whose server says nothing, and the longest time for the others; a day by default.
    ///
    /// Varies by up to 10 % for each value, so that values of one moment don't expire together. The first machine that reads
    /// a value in the last fifth of its life loads it again in the background.
    public var timeToLive = Duration.seconds(86_400)

    /// How long the fleet remembers that a source does not exist (404, 410) or is no image; 60 s by default, zero
    /// for not at all.
    public var missingTimeToLive = Duration.seconds(60)

    /// How long the fleet remembers that a server has failed (5xx) or did not respond in time; 5 s by default, zero for
    /// not at all.
    public var failureTimeToLive = Duration.seconds(5)

    /// Separates the values of programs that share a store: 1 to 64 letters, digits, `.`, `-` and `_`; `default` by default.
    ///
    /// Another text is replaced by a hash of it.
    public var namespace = "default"

    /// The number that makes all former values unreachable when it changes; `.stored` by default.
    public var epoch = Epoch.stored

    /// The secrets that authenticate values (HMAC-SHA256): the first signs, each is accepted.
    ///
    /// None by default. At least 16 random bytes each. To rotate, add the new one at the end on all machines, then make it the first, then
    /// remove the old one. Without a secret, damaged and misplaced values are still found, but whoever can write to the store
    /// can choose what all machines show.
    public var secrets: [Data] = []

    /// The longest time that a load waits for a lookup; 0.1 s by default.
    public var lookupTimeout = Duration.milliseconds(100)

    /// The longest time for a write or a removal; 1 s by default.
    ///
    /// No load waits for one.
    public var writeTimeout = Duration.seconds(1)

    /// How long one machine may load a missing image while the others wait for it; 10 s by default, zero for no leases.
    ///
    /// Should be longer than nearly all downloads with their processing. If the machine fails without a word, the others don't
    /// wait longer than ``leaseWait``.
    public var leaseTime = Duration.seconds(10)

    /// The longest time that a load waits for another machine's; 2 s by default.
    ///
    /// After it, or half of what the download's time-out leaves if that is less, the load goes on by itself.
    public var leaseWait = Duration.seconds(2)

    /// Most writes that wait; 256 by default.
    ///
    /// Further ones are dropped. Removals don't count, and are never dropped.
    public var queuedWriteLimit = 256

    /// Most bytes that wait to be written; 64 MiB by default.
    ///
    /// Further writes are dropped.
    public var queuedByteLimit = 64 << 20

    /// Most calls of the store that run at a time; 256 by default.
    ///
    /// A lookup beyond it is a miss.
    public var callLimit = 256

    public init(
        contents: Contents = [.originals, .processedImages], sizeLimit: Int = 900_000,
        timeToLive: Duration = .seconds(86_400), missingTimeToLive: Duration = .seconds(60),
        failureTimeToLive: Duration = .seconds(5), namespace: String = "default", epoch: Epoch = .stored,
        secrets: [Data] = [], lookupTimeout: Duration = .milliseconds(100),
        writeTimeout: Duration = .seconds(1), leaseTime: Duration = .seconds(10),
        leaseWait: Duration = .seconds(2), queuedWriteLimit: Int = 256, queuedByteLimit: Int = 64 << 20,
        callLimit: Int = 256
    ) {
        (self.contents, self.sizeLimit, self.timeToLive) = (contents, sizeLimit, timeToLive)
        (self.missingTimeToLive, self.failureTimeToLive) = (missingTimeToLive, failureTimeToLive)
        (self.namespace, self.epoch, self.secrets) = (namespace, epoch, secrets)
        (self.lookupTimeout, self.writeTimeout) = (lookupTimeout, writeTimeout)
        (self.leaseTime, self.leaseWait) = (leaseTime, leaseWait)
        (self.queuedWriteLimit, self.queuedByteLimit) = (queuedWriteLimit, queuedByteLimit)
        self.callLimit = callLimit
    }

    public init(_ configure: (inout Self) -> Void) { configure(&self) }
}
