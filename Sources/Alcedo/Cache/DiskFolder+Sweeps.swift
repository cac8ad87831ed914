import Foundation
import Glibc

extension DiskFolder {
    enum SweepError: Error {
        case opening(POSIXError)
        case reading(POSIXError)
    }

    struct Removal {
        var names: [String] = []
        var bytes = 0
    }

    /// Lists the entries, that is all regular files but those with a leading dot.
    func list() throws(SweepError) -> DiskListing {
        var listing = DiskListing()
        try forEach { _, name, attributes in
            if let attributes, isEntry(name, attributes) { listing.append(name, attributes) }
        }
        return listing
    }

    /// Removes the entries that have expired at `now` or whose attributes can't be read, and abandoned temporaries.
    func removeExpired(at now: Date) throws(SweepError) -> Removal {
        var removal = Removal()
        try forEach { directory, name, attributes in
            guard let attributes, !isTemporary(name, attributes, abandonedAt: now) else {
                directory.remove(name)
                return
            }
            guard isEntry(name, attributes), attributes.stamp.isPast(at: now), directory.remove(name) else {
                return
            }
            removal.names.append(String(cString: name))
            removal.bytes += attributes.st_size
        }
        return removal
    }

    /// Removes those entries that were read least recently, until the rest takes no more than `limit` bytes.
    func removeOldest(of listing: DiskListing, downTo limit: Int) throws(SweepError) -> Removal {
        var removal = Removal()
        guard let directory = try openDirectory() else { return removal }
        var listing = listing
        listing.sortByAccess()
        for entry in listing.entries where listing.totalSize - removal.bytes > limit {
            guard let name = listing.remove(entry, from: directory) else { continue }
            removal.names.append(name)
            removal.bytes += entry.size
        }
        return removal
    }

    /// Removes all files and links but those that begin with a dot and are not abandoned temporaries.
    func removeAll(at now: Date) throws(SweepError) {
        try forEach { directory, name, attributes in
            let isHidden = name.pointee == CChar(bitPattern: UInt8(ascii: "."))
            guard !isHidden || attributes.map({ isTemporary(name, $0, abandonedAt: now) }) ?? false else {
                return
            }
            directory.remove(name)
        }
    }

    private func isEntry(_ name: UnsafePointer<CChar>, _ attributes: stat) -> Bool {
        attributes.isRegularFile && name.pointee != CChar(bitPattern: UInt8(ascii: "."))
    }

    private func isTemporary(
        _ name: UnsafePointer<CChar>,
        _ attributes: stat,
        abandonedAt now: Date
    ) -> Bool {
        guard name.pointee == CChar(bitPattern: UInt8(ascii: ".")) else { return false }
        return TemporaryName.isAbandoned(String(cString: name), attributes: attributes, at: now)
    }

    private func openDirectory() throws(SweepError) -> DiskDirectory? {
        do throws(DiskDirectory.OpeningFailed) {
            return try DiskDirectory(path: path)
        } catch {
            throw .opening(error.cause)
        }
    }

    private func forEach(
        _ body: (borrowing DiskDirectory, UnsafePointer<CChar>, stat?) -> Void
    ) throws(SweepError) {
        guard let directory = try openDirectory() else { return }
        do throws(DiskDirectory.ReadingFailed) {
            try directory.forEach { body(directory, $0, $1) }
        } catch {
            throw .reading(error.cause)
        }
    }
}
