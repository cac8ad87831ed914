import Foundation

/// What an entry holds once a staged write has landed: bytes, or an image that is still being encoded.
enum StagedValue: Sendable {
    case data(Data)
    case image(KFCrossPlatformImage, original: Data?)

    /// Bytes to write, as far as they are known.
    var byteCount: Int {
        switch self {
        case .data(let data): data.count
        case .image: 0
        }
    }
}

/// Changes of a disk cache that have been called for and have not landed on the disk.
///
/// A lookup asks here before it asks the disk, so that it sees every earlier call. Has no lock and no I/O.
struct StagedChanges {
    /// Identifies a change until it lands.
    typealias Ticket = UInt64

    enum Lookup {
        /// Nothing is staged: the disk is right.
        case landed
        /// The entry is about to be removed, or was removed from what is about to be written.
        case removed
        /// The entry is about to be written. `yieldsToDisk` if it is not to replace a file that is there.
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

    var isEmpty: Bool { changes.isEmpty && clears == 0 && keyRemovals.isEmpty }

    /// What a lookup of a file finds, whose name comes from `key` and perhaps a processor.
    func lookup(_ name: String, key: String) -> Lookup {
        if let change = changes[name] {
            guard let value = change.value else { return .removed }
            return .stored(value, yieldsToDisk: change.yieldsToDisk)
        }
        return clears > 0 || keyRemovals[key] != nil ? .removed : .landed
    }

    /// Stages a write.
    ///
    /// - Parameters:
    ///   - value: what the entry will hold.
    ///   - name: the file's name.
    ///   - key: the key of the original.
    ///   - overwrites: whether it replaces a file that is there.
    /// - Returns: its ticket, and the value that nobody will read any more, to be released outside the lock.
    mutating func store(
        _ value: StagedValue,
        name: String,
        key: String,
        overwrites: Bool = true
    ) -> (ticket: Ticket, unread: StagedValue?) {
        lastTicket += 1
        var change = Change(ticket: lastTicket, key: key, value: value)
        if !overwrites {
            switch lookup(name, key: key) {
            case .stored: return (lastTicket, nil)
            case .landed: change.yieldsToDisk = true
            case .removed: break
            }
        }
        return (lastTicket, changes.updateValue(change, forKey: name)?.value)
    }

    /// Stages the removal of one file.
    ///
    /// - Returns: its ticket, and the value that nobody will read any more, to be released outside the lock.
    mutating func remove(name: String, key: String) -> (ticket: Ticket, unread: StagedValue?) {
        lastTicket += 1
        let change = Change(ticket: lastTicket, key: key)
        return (lastTicket, changes.updateValue(change, forKey: name)?.value)
    }

    /// Takes a change out that has landed or failed, unless a later one has its place.
    ///
    /// - Returns: its value, to be released outside the lock.
    mutating func land(_ ticket: Ticket, name: String) -> StagedValue? {
        guard changes[name]?.ticket == ticket else { return nil }
        return changes.removeValue(forKey: name)?.value
    }

    /// Drops the value of a write that has failed before its turn: until it lands, lookups find nothing.
    ///
    /// - Returns: its value, to be released outside the lock.
    mutating func abandon(_ ticket: Ticket, name: String) -> StagedValue? {
        guard changes[name]?.ticket == ticket else { return nil }
        return changes[name]?.value.take()
    }

    /// Stages the removal of a key and all its variants.
    ///
    /// - Returns: the values that nobody will read, to be released outside the lock.
    mutating func removeVariants(ofKey key: String) -> [StagedValue] {
        keyRemovals[key, default: 0] += 1
        let doomed = changes.filter { $0.value.key == key }
        for name in doomed.keys { changes[name] = nil }
        return doomed.values.compactMap(\.value)
    }

    mutating func landRemovalOfVariants(ofKey key: String) {
        let left = (keyRemovals[key] ?? 0) - 1
        keyRemovals[key] = left > 0 ? left : nil
    }

    /// Stages the removal of everything.
    ///
    /// - Returns: the values that nobody will read, to be released outside the lock.
    mutating func clear() -> [StagedValue] {
        clears += 1
        defer { changes = [:] }
        return changes.values.compactMap(\.value)
    }

    mutating func landClear() { clears -= 1 }
}
