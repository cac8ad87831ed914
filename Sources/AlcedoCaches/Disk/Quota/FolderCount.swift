import Foundation
import Glibc

/// The bytes in a folder, as a listing adds them up while files are stored.
struct FolderCount {
    /// The bytes of all files, each counted once.
    private(set) var total = 0

    /// The bytes of staging files, and of entries that have changed since the listing began, by their inodes.
    ///
    /// A file that is renamed during the listing may be found under both names.
    private(set) var recent: [ino_t: Int] = [:]

    private let start: Double

    /// `start` is the moment at which the listing starts, by the system's clock.
    init(since start: Date) {
        // The kernel's times of files are up to 10 ms late; another machine's clock differs more.
        self.start = start.timeIntervalSince1970 - 1
    }

    /// Adds an entry.
    mutating func add(_ attributes: stat) {
        guard Double(attributes.st_ctim.tv_sec) + 1 > start else { return total += attributes.st_size }
        addStaging(attributes.st_ino, bytes: attributes.st_size)
    }

    mutating func addStaging(_ number: ino_t, bytes: Int) {
        total += bytes - (recent.updateValue(bytes, forKey: number) ?? 0)
    }
}
