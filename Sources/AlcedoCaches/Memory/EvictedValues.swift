import Foundation

/// Weak references to evicted values, which lookups find for as long as the program holds them.
///
/// Dead references are removed whenever the number has doubled, so there are never more than twice the living ones, or 64.
/// A living value that a method has looked at is appended to `seen`, which the caller frees after the lock: the program
/// may release it meanwhile.
struct EvictedValues {
    typealias Object = MemoryStorage.Core.Object

    private struct Reference {
        weak var object: Object?
        let node: EvictedEntry
    }

    private var references: [HashedKey: Reference] = [:]
    private var sweepThreshold = 64

    var isEmpty: Bool { references.isEmpty }

    /// The number of references, dead ones included.
    var count: Int { references.count }

    /// Keeps a reference to an evicted value.
    mutating func insert(_ object: Object, _ node: EvictedEntry, seen: inout [Object]) {
        if references.count >= sweepThreshold {
            sweep(seen: &seen) { _ in false }
            sweepThreshold = max(64, references.count * 2)
        }
        references[node.key] = Reference(object: object, node: node)
    }

    /// The value under `key`, unless it has expired.
    func value(_ key: HashedKey, at now: Date, seen: inout [Object]) -> Object? {
        guard let reference = references[key], let object = reference.object else { return nil }
        seen.append(object)
        return reference.node.expiry > now ? object : nil
    }

    /// The unexpired values of `key` with any processor.
    func variants(
        of key: String, at now: Date, seen: inout [Object]
    ) -> [(value: Object, rest: EvictedEntry)] {
        var variants: [(value: Object, rest: EvictedEntry)] = []
        for reference in references.values where reference.node.isVariant(of: key) {
            guard let object = reference.object else { continue }
            seen.append(object)
            if reference.node.expiry > now { variants.append((object, reference.node)) }
        }
        return variants
    }

    /// Removes the reference under `key` and returns its value, unless it has expired.
    mutating func take(
        _ key: HashedKey, at now: Date, seen: inout [Object]
    ) -> (object: Object, node: EvictedEntry)? {
        guard let reference = references.removeValue(forKey: key), let object = reference.object else {
            return nil
        }
        seen.append(object)
        return reference.node.expiry > now ? (object, reference.node) : nil
    }

    mutating func remove(_ key: HashedKey) {
        if !references.isEmpty { references[key] = nil }
    }

    /// Removes the references of `key` with any processor.
    mutating func removeVariants(of key: String, seen: inout [Object]) {
        sweep(seen: &seen) { $0.isVariant(of: key) }
    }

    /// Removes dead references and those of expired values.
    mutating func removeExpired(at now: Date, seen: inout [Object]) {
        sweep(seen: &seen) { $0.expiry <= now }
    }

    private mutating func sweep(
        seen: inout [Object], removing shouldRemove: (EvictedEntry) -> Bool
    ) {
        guard !references.isEmpty else { return }
        references = references.filter { _, reference in
            guard let object = reference.object else { return false }
            seen.append(object)
            return !shouldRemove(reference.node)
        }
    }
}

/// What is known of an evicted value besides the value.
struct EvictedEntry {
    let key: HashedKey
    let ownKeyLength: Int
    let cost: Int

    /// The lifetime that it was stored with.
    let lifetime: Expiry

    /// When it expires, as far as lookups have extended that.
    let expiry: Date
    let hasTemporaryExpiry: Bool

    /// The identifier of the processor.
    var identifier: String { String(decoding: key.text.utf8.dropFirst(ownKeyLength + 1), as: UTF8.self) }

    /// Whether it was stored under `key`, with any processor.
    func isVariant(of key: String) -> Bool {
        ownKeyLength == key.utf8.count && self.key.text.utf8.starts(with: key.utf8)
    }
}
