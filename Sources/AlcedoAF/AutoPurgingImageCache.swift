import Alcedo
import AlcedoLocks
import Foundation
public import FoundationNetworking

/// Images in memory; when they are too many, those that were used least recently leave.
///
/// Every method may be called on any thread and has done its work when it returns. An image costs the bytes of its
/// pixels, width × height × 4 for each frame that is decoded with it.
///
/// Safe because its state is behind a lock; a subclass answers for what it adds.
open class AutoPurgingImageCache: ImageRequestCache, @unchecked Sendable {
    private struct Entry {
        let image: Image
        let key: String

        /// The key of the bare request, or its own.
        let owner: String
    }

    private struct State {
        var table = LRUTable<Entry>()

        /// All keys of each owner.
        var variants: [String: Set<String>] = [:]

        mutating func remove(_ key: String) -> Entry? {
            let entry = table.remove(key)
            if let entry { forget(entry) }
            return entry
        }

        mutating func insert(_ entry: Entry, cost: Int) {
            table.insert(entry, forKey: entry.key, cost: cost)
            variants[entry.owner, default: []].insert(entry.key)
        }

        mutating func purge(toCost cost: Int) -> [Entry] {
            let entries = table.purge(toCost: cost)
            for entry in entries { forget(entry) }
            return entries
        }

        private mutating func forget(_ entry: Entry) {
            variants[entry.owner]?.remove(entry.key)
            if variants[entry.owner]?.isEmpty == true { variants[entry.owner] = nil }
        }
    }

    /// Most bytes that images may take together.
    public let memoryCapacity: UInt64

    /// Bytes that a purge leaves at most, but for an image that takes more by itself and has just come.
    public let preferredMemoryUsageAfterPurge: UInt64

    private let state = Lock(State())

    /// Makes an empty cache; `memoryCapacity` must not be less than `preferredMemoryUsageAfterPurge`.
    public init(memoryCapacity: UInt64 = 100_000_000, preferredMemoryUsageAfterPurge: UInt64 = 60_000_000) {
        precondition(
            memoryCapacity >= preferredMemoryUsageAfterPurge, "a purge can't leave more than the capacity")
        self.memoryCapacity = memoryCapacity
        self.preferredMemoryUsageAfterPurge = preferredMemoryUsageAfterPurge
    }

    /// Bytes that all images take together.
    open var memoryUsage: UInt64 { state.withLock { UInt64($0.table.totalCost) } }

    // MARK: - Adding

    /// Keeps an image, in place of what was there.
    ///
    /// One that takes more than the whole capacity is not kept, and what was there goes.
    open func add(_ image: Image, withIdentifier identifier: String) {
        add(image, key: identifier, owner: identifier)
    }

    /// Keeps an image under a request, or under what was made of it; see ``add(_:withIdentifier:)``.
    open func add(_ image: Image, for request: URLRequest, withIdentifier identifier: String? = nil) {
        add(
            image,
            key: imageCacheKey(for: request, withIdentifier: identifier),
            owner: imageCacheKey(for: request, withIdentifier: nil)
        )
    }

    private func add(_ image: Image, key: String, owner: String) {
        let cost = image.pixelCost
        let capacity = Int(clamping: memoryCapacity)
        let preferred = Int(clamping: preferredMemoryUsageAfterPurge)
        let leaving = state.withLock { state -> [Entry] in
            var leaving = state.remove(key).map { [$0] } ?? []
            guard cost <= capacity else { return leaving }
            if state.table.totalCost > capacity - cost {
                leaving += state.purge(toCost: max(0, preferred - cost))
            }
            state.insert(Entry(image: image, key: key, owner: owner), cost: cost)
            return leaving
        }
        _ = consume leaving
    }

    // MARK: - Removing

    /// Removes an image; whether there was one.
    @discardableResult
    open func removeImage(withIdentifier identifier: String) -> Bool {
        state.withLock { $0.remove(identifier) } != nil
    }

    /// Removes the image of a request, or what was made of it; whether there was one.
    @discardableResult
    open func removeImage(for request: URLRequest, withIdentifier identifier: String?) -> Bool {
        removeImage(withIdentifier: imageCacheKey(for: request, withIdentifier: identifier))
    }

    /// Removes the image of a request and everything that was made of it; whether there was any.
    @discardableResult
    open func removeImages(matching request: URLRequest) -> Bool {
        let owner = imageCacheKey(for: request, withIdentifier: nil)
        let removed = state.withLock { state in
            (state.variants[owner] ?? []).compactMap { state.remove($0) }
        }
        return !removed.isEmpty
    }

    /// Removes all images; whether there were any.
    @discardableResult
    open func removeAllImages() -> Bool {
        let removed = state.withLock { exchange(&$0, with: State()) }
        return !removed.variants.isEmpty
    }

    // MARK: - Reading

    /// The image of that name, which becomes the most recently used; nil if there is none.
    open func image(withIdentifier identifier: String) -> Image? {
        state.withLock { $0.table.use(identifier) }?.image
    }

    /// The image of that request, or what was made of it; nil if there is none.
    open func image(for request: URLRequest, withIdentifier identifier: String? = nil) -> Image? {
        image(withIdentifier: imageCacheKey(for: request, withIdentifier: identifier))
    }

    /// The name of a request's image: its URL, and `-` and the identifier, if there is one.
    ///
    /// Method, headers and body do not count.
    open func imageCacheKey(for request: URLRequest, withIdentifier identifier: String?) -> String {
        let url = request.url?.absoluteString ?? ""
        return identifier.map { "\(url)-\($0)" } ?? url
    }
}
