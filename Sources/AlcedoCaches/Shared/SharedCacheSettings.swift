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

        /// The bytes of a source, of which any machine can make any size.
        public static let originals = Contents(rawValue: 1 << 0)

        /// What processors have made, encoded by the cache serializer.
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

    /// How long a value is kept whose server says nothing, and the longest time for the others, in seconds; a day by default.
    ///
    /// Varies by up to 10 % for each value, so that values of one moment don't expire together. The first machine that reads
    /// a value in the last fifth of its life loads it again in the background.
    public var timeToLive: TimeInterval = 86_400

    /// How long the fleet remembers that a source does not exist (404, 410) or is no image, in seconds; 60 by default, 0 for
    /// not at all.
    public var missingTimeToLive: TimeInterval = 60

    /// How long the fleet remembers that a server has failed (5xx) or did not respond in time, in seconds; 5 by default, 0 for
    /// not at all.
    public var failureTimeToLive: TimeInterval = 5

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

    /// The longest time that a load waits for a lookup, in seconds; 0.1 by default.
    public var lookupTimeout: TimeInterval = 0.1

    /// The longest time for a write or a removal, in seconds; 1 by default.
    ///
    /// No load waits for one.
    public var writeTimeout: TimeInterval = 1

    /// How long one machine may load a missing image while the others wait for it, in seconds; 10 by default, 0 for no leases.
    ///
    /// Should be longer than nearly all downloads with their processing. If the machine fails without a word, the others don't
    /// wait longer than ``leaseWait``.
    public var leaseTime: TimeInterval = 10

    /// The longest time that a load waits for another machine's, in seconds; 2 by default.
    ///
    /// After it, or half of what the download's time-out leaves if that is less, the load goes on by itself.
    public var leaseWait: TimeInterval = 2

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

    /// Makes settings, and changes them with `configure`.
    public init(_ configure: (inout Self) -> Void = { _ in }) { configure(&self) }
}
