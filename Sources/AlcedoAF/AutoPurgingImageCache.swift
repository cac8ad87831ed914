import Alcedo
import AlcedoLocks
import Foundation
public import FoundationNetworking

/// An LRU memory cache of images.
///
/// Methods are synchronous and may be called on any thread. The cost of an image is the size of its pixels: width ×
/// height × 4 bytes for each preloaded frame.
///
/// Safe because its state is behind a lock; a subclass is responsible for its own state.
open class AutoPurgingImageCache: ImageRequestCache, @unchecked Sendable {
    private struct Entry {
        let image: Image
        let key: String

        /// The key of the request without an identifier, or the entry's own key.
        let owner: String
    }

    private struct State {
        var table = LRUTable<Entry>()

        /// The keys of each owner's entries.
        var variants: [String: Set<String>] = [:]

        mutating func remove(_ key: String) -> Entry? {
            let entry = table.remove(key)
            if let entry { removeVariant(entry) }
            return entry
        }

        mutating func insert(_ entry: Entry, cost: Int) {
            table.insert(entry, forKey: entry.key, cost: cost)
            variants[entry.owner, default: []].insert(entry.key)
        }

        mutating func purge(toCost cost: Int) -> [Entry] {
            let entries = table.purge(toCost: cost)
            for entry in entries { removeVariant(entry) }
            return entries
        }

        private mutating func removeVariant(_ entry: Entry) {
            variants[entry.owner]?.remove(entry.key)
            if variants[entry.owner]?.isEmpty == true { variants[entry.owner] = nil }
        }
    }

    /// The maximum total cost in bytes.
    public let memoryCapacity: UInt64

    /// The maximum total cost after a purge, in bytes; a single new image may exceed it.
    public let preferredMemoryUsageAfterPurge: UInt64

    private let state = Lock(State())

    /// Creates an empty cache; `memoryCapacity` must not be less than `preferredMemoryUsageAfterPurge`.
    public init(memoryCapacity: UInt64 = 100_000_000, preferredMemoryUsageAfterPurge: UInt64 = 60_000_000) {
        precondition(
            memoryCapacity >= preferredMemoryUsageAfterPurge,
            "preferredMemoryUsageAfterPurge must not exceed memoryCapacity")
        self.memoryCapacity = memoryCapacity
        self.preferredMemoryUsageAfterPurge = preferredMemoryUsageAfterPurge
    }

    /// The total cost of all images in bytes.
    open var memoryUsage: UInt64 { state.withLock { UInt64($0.table.totalCost) } }

    // MARK: - Adding

    /// Adds an image; replaces the previous one.
    ///
    /// An image that exceeds the whole capacity is not added, but the previous one is removed.
    open func add(_ image: Image, withIdentifier identifier: String) {
        add(image, key: identifier, owner: identifier)
    }

    /// Adds an image for a request and an optional filter identifier; see ``add(_:withIdentifier:)``.
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
        let evicted = state.withLock { state -> [Entry] in
            var evicted = state.remove(key).map { [$0] } ?? []
            guard cost <= capacity else { return evicted }
            if state.table.totalCost > capacity - cost {
                evicted += state.purge(toCost: max(0, preferred - cost))
            }
            state.insert(Entry(image: image, key: key, owner: owner), cost: cost)
            return evicted
        }
        // Released outside the lock, because freeing pixels can take long.
        _ = consume evicted
    }

    // MARK: - Removing

    @discardableResult
    open func removeImage(withIdentifier identifier: String) -> Bool {
        state.withLock { $0.remove(identifier) } != nil
    }

    /// Removes the image of a request and an optional filter identifier; returns whether it existed.
    @discardableResult
    open func removeImage(for request: URLRequest, withIdentifier identifier: String?) -> Bool {
        removeImage(withIdentifier: imageCacheKey(for: request, withIdentifier: identifier))
    }

    /// Removes all images of a request, with any filter identifier; returns whether any existed.
    @discardableResult
    open func removeImages(matching request: URLRequest) -> Bool {
        let owner = imageCacheKey(for: request, withIdentifier: nil)
        let removed = state.withLock { state in
            (state.variants[owner] ?? []).compactMap { state.remove($0) }
        }
        return !removed.isEmpty
    }

    @discardableResult
    open func removeAllImages() -> Bool {
        let removed = state.withLock { exchange(&$0, with: State()) }
        return !removed.variants.isEmpty
    }

    // MARK: - Reading

    /// The image of an identifier, which becomes the most recently used; nil on a miss.
    open func image(withIdentifier identifier: String) -> Image? {
        state.withLock { $0.table.touch(identifier) }?.image
    }

    /// The image of a request and an optional filter identifier; nil on a miss.
    open func image(for request: URLRequest, withIdentifier identifier: String? = nil) -> Image? {
        image(withIdentifier: imageCacheKey(for: request, withIdentifier: identifier))
    }

    /// The cache key of a request: its URL, followed by `-` and the identifier if there is one.
    ///
    /// The key does not include the method, headers and body.
    open func imageCacheKey(for request: URLRequest, withIdentifier identifier: String?) -> String {
        let url = request.url?.absoluteString ?? ""
        return identifier.map { "\(url)-\($0)" } ?? url
    }
}
