import AlcedoLocks
import Foundation
import Glibc

// The limits of a folder; on its queue.

extension PartialFolder {
    private struct Item {
        let name: String
        let attributes: stat
    }

    /// Makes room for a body of so many bytes; false if the files in use leave none.
    func reserve(_ bytes: Int, for name: String) -> Bool {
        guard bytes <= byteLimit else { return false }
        reservations.withLock { $0[name] = bytes }
        guard sweep() <= byteLimit else {
            reservations.withLock { $0[name] = nil }
            return false
        }
        return true
    }

    /// Removes expired files, and the oldest ones beyond the limit, except those in use.
    ///
    /// - Returns: the bytes that are left, and those that files in use may grow to.
    @discardableResult
    func sweep() -> Int {
        let reserved = reservations.withLock { $0 }
        var total = reserved.values.reduce(0, +)
        var items: [Item] = []
        // A folder that can't be listed is swept later.
        try? folder.forEachEntry { name, attributes in
            let name = String(cString: name)
            guard name.hasSuffix(Self.suffix), reserved[name] == nil else { return }
            items.append(Item(name: name, attributes: attributes))
            total += attributes.st_size
        }
        items.sort { $0.attributes.st_mtim.tv_sec < $1.attributes.st_mtim.tv_sec }
        for item in items where isExpired(item.attributes) || total > byteLimit {
            guard let descriptor = open(item.name, flags: 0) else { continue }
            if unlink(folder.path(of: item.name)) == 0 { total -= item.attributes.st_size }
            close(descriptor)
        }
        return total
    }

    /// Removes all files; transfers that use one continue without it.
    func removeAll() {
        try? folder.forEachEntry { name, _ in
            let name = String(cString: name)
            if name.hasSuffix(Self.suffix) { unlink(folder.path(of: name)) }
        }
    }
}
