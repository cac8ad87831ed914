import AlcedoLocks
import Foundation
import Glibc

// The limits of a folder; on its queue.

extension PartialFolder {
    private struct Item {
        let name: String
        let attributes: stat
    }

    /// Makes room for bytes that have arrived; false if the files in use leave none.
    ///
    /// The length that a server announces does not count: it could remove what other servers have sent.
    func reserve(_ bytes: Int) -> Bool {
        if usedBytes.withLock({ $0 }) + bytes > byteLimit {
            // Some more, so that not every write lists the folder.
            sweep(leaving: max(bytes, byteLimit / 32))
        }
        return usedBytes.withLock { used in
            guard used + bytes <= byteLimit else { return false }
            used += bytes
            return true
        }
    }

    /// No longer counts bytes that were removed or not written.
    func release(_ bytes: Int) { usedBytes.withLock { $0 -= bytes } }

    /// Removes expired files, and the oldest ones until so many bytes are free, except those in use.
    func sweep(leaving room: Int = 0) {
        var total = 0
        var items: [Item] = []
        // A folder that can't be listed is swept later.
        try? folder.forEachEntry { name, attributes in
            let name = String(cString: name)
            guard name.hasSuffix(Self.suffix) else { return }
            items.append(Item(name: name, attributes: attributes))
            total += attributes.st_size
        }
        items.sort { $0.attributes.st_mtim.tv_sec < $1.attributes.st_mtim.tv_sec }
        for item in items where isExpired(item.attributes) || total + room > byteLimit {
            // A file in use is locked.
            guard let descriptor = open(item.name, flags: 0) else { continue }
            if unlink(folder.path(of: item.name)) == 0 { total -= item.attributes.st_size }
            closeUnlocked(descriptor)
        }
        usedBytes.withLock { $0 = total }
    }

    /// Removes all files; transfers that use one continue without it.
    func removeAll() {
        try? folder.forEachEntry { name, _ in
            let name = String(cString: name)
            if name.hasSuffix(Self.suffix) { unlink(folder.path(of: name)) }
        }
    }
}
