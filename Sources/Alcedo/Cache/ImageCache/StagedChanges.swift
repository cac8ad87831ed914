import Foundation

/// The content that a staged write will store: bytes, or an image that is still being encoded.
enum StagedValue: Sendable {
    case data(Data)
    case image(KFCrossPlatformImage, original: Data?)

    /// Bytes to write; 0 for an image.
    var byteCount: Int {
        switch self {
        case .data(let data): data.count
        case .image: 0
        }
    }
}

/// The changes of a disk cache that have not reached the disk.
///
/// Lookups consult it before the disk, so that they see all earlier calls. A plain value: no lock, no I/O. Methods return
/// the values that they discard, which the caller releases after the lock.
struct StagedChanges {
    /// Identifies a change.
    typealias Ticket = UInt64

    enum Lookup {
        /// The disk is up to date.
        case notStaged
        case removed
        /// `yieldsToDisk`: only if no file exists (`.withoutOverwriting`).
        case stored(StagedValue, yieldsToDisk: Bool)
    }

    private struct Change {
        let ticket: Ticket
        let key: String
        /// Nil for a removal.
        var value: StagedValue?
        var yieldsToDisk = false
    }

    /// The last change of each file, by its name.
    private var changes: [String: Change] = [:]
    private var clears = 0
    private var keyRemovals: [String: Int] = [:]
    private var lastTicket: Ticket = 0
    private var encoding = StoresInEncoding()

    var isEmpty: Bool { changes.isEmpty && clears == 0 && keyRemovals.isEmpty }

    /// Finds a file's change; `key` is the key without a processor's identifier.
    func lookup(_ name: String, key: String) -> Lookup {
        if let change = changes[name] {
            guard let value = change.value else { return .removed }
            return .stored(value, yieldsToDisk: change.yieldsToDisk)
        }
        return clears > 0 || keyRemovals[key] != nil ? .removed : .notStaged
    }

    /// Stages a write, which is queued by ``endEncoding(_:name:queue:)``.
    mutating func store(
        _ value: StagedValue, name: String, key: String, overwrites: Bool = true
    ) -> (ticket: Ticket, discarded: StagedValue?) {
        let ticket = announce(name: name, key: key, overwrites: overwrites)
        var change = Change(ticket: ticket, key: key, value: value)
        if !overwrites {
            switch lookup(name, key: key) {
            case .stored: return (ticket, nil)
            case .notStaged: change.yieldsToDisk = true
            case .removed: break
            }
        }
        return (ticket, changes.updateValue(change, forKey: name)?.value)
    }

    /// Announces a write that no lookup is to see, such as that of an expired value.
    mutating func announce(name: String, key: String, overwrites: Bool = true) -> Ticket {
        lastTicket += 1
        if overwrites { encoding.drop(name: name) }
        encoding.add(lastTicket, name: name, key: key)
        return lastTicket
    }

    /// Calls `queue` for a store whose bytes are there; false instead if a later change has replaced or removed it.
    mutating func endEncoding(_ ticket: Ticket, name: String, queue: () -> Void) -> Bool {
        encoding.end(ticket, name: name, queue: queue)
    }

    /// Calls `then` when the stores so far, or those of a key, have their bytes or were replaced, possibly now.
    mutating func whenEncoded(key: String?, _ then: @escaping @Sendable () -> Void) {
        encoding.whenEnded(key: key, then)
    }

    /// How many stores wait for their bytes.
    var encodingCount: Int { encoding.count }

    /// Stages the removal of one file.
    mutating func remove(name: String, key: String) -> (ticket: Ticket, discarded: StagedValue?) {
        lastTicket += 1
        encoding.drop(name: name)
        let change = Change(ticket: lastTicket, key: key)
        return (lastTicket, changes.updateValue(change, forKey: name)?.value)
    }

    /// Removes a change that is on disk or has failed, unless a later one has replaced it.
    mutating func complete(_ ticket: Ticket, name: String) -> StagedValue? {
        guard changes[name]?.ticket == ticket else { return nil }
        return changes.removeValue(forKey: name)?.value
    }

    /// Discards the value of a write that has failed before its job ran; until then lookups find nothing.
    mutating func discardValue(_ ticket: Ticket, name: String) -> StagedValue? {
        guard changes[name]?.ticket == ticket else { return nil }
        return changes[name]?.value.take()
    }

    /// Stages the removal of a key and all its variants.
    mutating func removeVariants(ofKey key: String) -> [StagedValue] {
        keyRemovals[key, default: 0] += 1
        encoding.drop(key: key)
        let discarded = changes.filter { $0.value.key == key }
        for name in discarded.keys { changes[name] = nil }
        return discarded.values.compactMap(\.value)
    }

    mutating func completeRemovalOfVariants(ofKey key: String) {
        let remaining = (keyRemovals[key] ?? 0) - 1
        keyRemovals[key] = remaining > 0 ? remaining : nil
    }

    /// Stages the removal of all files.
    mutating func clear() -> [StagedValue] {
        clears += 1
        encoding.dropAll()
        defer { changes = [:] }
        return changes.values.compactMap(\.value)
    }

    mutating func completeClear() { clears -= 1 }
}
