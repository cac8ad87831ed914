import AlcedoLocks
import Glibc

/// The size limit of a folder, shared by all processes that store in it.
///
/// The file `.alcedo-size` holds a ``DiskUsage``, updated under an advisory lock. A process reserves bytes before it
/// writes, and some ahead (its grant), so that few stores touch the file: up to a 256th of the limit and a 16th of what it
/// has stored. A killed process leaves reservations behind until the next listing. Without the file or its lock, each
/// process counts its own stores.
final class DiskQuota: Sendable {
    /// The inode of a file, which it keeps when it is renamed.
    typealias FileNumber = ino_t

    enum Decision { case granted, full, uncounted }

    fileprivate struct State {
        let lockWait: DiskLockWait
        var usage = DiskUsage()
        var descriptor: Int32 = -1

        /// Bytes reserved ahead, and the most that are kept.
        var grant = 0
        var largestGrant = 0

        /// Bytes of ``grant`` that were a file's.
        var freed = 0

        /// Whether the file can be read and written.
        var isShared = false

        /// Whether ``usage`` has changes that the file lacks, because the lock was not free in time.
        var isDetached = false

        /// Bytes that this process has reserved.
        var reserved = 0

        /// Changes when the file or its lock is lost: totals from before don't fit those from after.
        var generation = 0

        /// The files that this process has reserved bytes for since a listing began; nil while it makes none.
        var reservedDuringCount: Set<FileNumber>?

        /// Files of this process that wait for their reservation, which is counted when they get it.
        var unreserved: Set<FileNumber> = []

        var rejections = 0
    }

    private let path: String
    /// Held while the file is locked: `flock` does not exclude threads that share a descriptor.
    private let state: Lock<State>

    init(folder: DiskFolder, lockWait: DiskLockWait = .usage) {
        path = folder.path(of: ".alcedo-size")
        state = Lock(State(lockWait: lockWait))
    }

    // On a thread of its own, because whoever releases this must not wait for a disk that hangs.
    deinit {
        let last = state.withLock { $0 }
        guard last.descriptor >= 0 || last.grant > 0 else { return }
        DetachedThread.wait("alcedo-folder", seconds: DiskStallCheck.standard.error.seconds) { [path] in
            var last = last
            if last.grant > 0 { last.returnGrant(at: path) }
            if last.descriptor >= 0 { close(last.descriptor) }
        }
    }

    /// The size up to which stores succeed while a trim runs: the limit and 5 %.
    static func ceiling(of limit: Int) -> Int {
        let (sum, overflow) = limit.addingReportingOverflow(limit / 20)
        return overflow ? .max : sum
    }

    /// Reserves bytes for a store, whose staging file is `file`; never blocks for room.
    ///
    /// A file that gets no bytes is announced for the next attempt; ``withdraw(_:)`` ends that.
    ///
    /// - Returns: `uncounted` if a listing has to come first.
    func reserve(_ bytes: Int, for file: FileNumber? = nil, limit: Int) -> Decision {
        state.withLock { state in
            let decision = state.reserve(bytes, limit: limit, at: path)
            guard let file else { return decision }
            if decision == .granted {
                state.unreserved.remove(file)
                state.reservedDuringCount?.insert(file)
            } else {
                state.unreserved.insert(file)
            }
            return decision
        }
    }

    /// Forgets a staging file that is removed without bytes.
    func withdraw(_ file: FileNumber) { state.withLock { _ = $0.unreserved.remove(file) } }

    /// The listings that this process knows of; see ``release(_:since:)``.
    var listings: Int { state.withLock { $0.usage.listings } }

    /// Returns the bytes of a failed store, or of a file that a caller replaced or removed.
    ///
    /// `listings` is ``listings`` from before the file went: a listing that has ended since may not have seen the file, whose
    /// bytes then must not be subtracted from its total.
    func release(_ bytes: Int, since listings: Int) {
        guard bytes > 0 else { return }
        state.withLock { state in
            guard state.usage.listings == listings else { return }
            state.grant += bytes
            state.freed += bytes
            if state.grant > state.largestGrant { state.returnGrant(at: path) }
        }
    }

    /// Subtracts the bytes of files that a trim or a sweep removed, as ``release(_:since:)`` does; returns the listings by now.
    func evict(_ bytes: Int, since listings: Int) -> Int {
        state.withLock { state in
            state.update(at: path) { usage, _ in
                if usage.listings == listings { usage.subtract(bytes) }
                return usage.listings
            }
        }
    }

    /// Whether the limit is reached.
    func needsTrim(limit: Int) -> Bool { state.withLock { $0.usage.total - $0.grant >= limit } }

    /// Requires a listing before the next store: files were stored without a reservation.
    func invalidate() {
        state.withLock { state in
            state.returnGrant(at: path)
            state.update(at: path) { usage, _ in usage.isCounted = false }
        }
    }

    /// The state at the start of a listing.
    struct Count {
        fileprivate let balance: Int
        fileprivate let generation: Int
    }

    func startCount() -> Count {
        state.withLock { state in
            state.returnGrant(at: path)
            state.reservedDuringCount = []
            return Count(balance: state.usage.balance, generation: state.generation)
        }
    }

    /// Ends a listing that has failed.
    func cancelCount() { state.withLock { $0.reservedDuringCount = nil } }

    /// Ends a listing.
    ///
    /// What this process has reserved since it began, or will reserve, counts once, whether the listing has seen the file or
    /// not. Files of other processes that do so count twice until the next listing.
    ///
    /// - Parameters:
    ///   - count: what ``startCount()`` has returned.
    ///   - bytes: those of all entries and staging files.
    ///   - recent: the bytes among them of staging files and of entries that have changed during the listing.
    /// - Returns: the bytes of all entries and reservations.
    func endCount(_ count: Count, total bytes: Int, recent: [FileNumber: Int] = [:]) -> Int {
        state.withLock { state in
            let own = (state.reservedDuringCount.take() ?? []).union(state.unreserved)
            let bytes = bytes - own.reduce(0) { $0 + (recent[$1] ?? 0) }
            let total = state.update(at: path) { usage, _ in usage.total }
            guard state.generation == count.generation else { return total }
            // What was freed during the listing may not be in its total.
            state.grant -= state.freed
            state.freed = 0
            return state.update(at: path) { usage, _ in
                usage.setCount(bytes, since: count.balance)
                return usage.total
            }
        }
    }

    /// Bytes of all entries and reservations, as all processes count them.
    var total: Int { state.withLock { $0.update(at: path) { usage, grant in usage.total - grant } } }

    /// Stores that this process dropped because there was no room.
    var rejections: Int { state.withLock { $0.rejections } }

    func countRejection() { state.withLock { $0.rejections += 1 } }
}

// MARK: - The shared file

extension DiskQuota.State {
    fileprivate mutating func reserve(_ bytes: Int, limit: Int, at path: String) -> DiskQuota.Decision {
        largestGrant = limit / 256
        if grant < bytes {
            let ahead = min(largestGrant, reserved / 16)
            let decision = update(at: path) { usage, grant in
                guard usage.isCounted else { return DiskQuota.Decision.uncounted }
                let (needed, room) = (bytes - grant, DiskQuota.ceiling(of: limit) - usage.total)
                guard needed <= room else { return .full }
                let amount = needed + min(ahead, room - needed)
                usage.reserve(amount)
                grant += amount
                return .granted
            }
            guard decision == .granted else { return decision }
        }
        grant -= bytes
        freed = min(freed, grant)
        reserved &+= bytes
        return .granted
    }

    fileprivate mutating func returnGrant(at path: String) {
        let freed = freed
        update(at: path) { usage, grant in
            // Nothing is left of the grant if the file is another one, or if another process has listed the folder.
            guard grant > 0 else { return }
            usage.subtract(freed)
            usage.release(grant - freed)
            grant = 0
        }
        self.freed = 0
    }

    /// Changes the usage in the file, or in this process alone without the file or its lock.
    fileprivate mutating func update<Result>(
        at path: String, _ change: (_ usage: inout DiskUsage, _ grant: inout Int) -> Result
    ) -> Result {
        openFile(path)
        guard isShared, lock() else { return change(&usage, &grant) }
        defer { flock(descriptor, LOCK_UN) }
        let saved = load()
        defer { if isShared, usage != saved { save() } }
        return change(&usage, &grant)
    }

    /// Takes the advisory lock; if its holder may be stopped, later calls do not wait for it.
    private mutating func lock() -> Bool {
        let wait = isDetached ? DiskLockWait(seconds: 0) : lockWait
        if wait.lock(descriptor, LOCK_EX) == 0 { return true }
        if !isDetached { generation += 1 }
        isDetached = true
        return false
    }

    /// Reads the usage; marks it as uncounted if this process could not share its changes before.
    ///
    /// - Returns: what the file says.
    private mutating func load() -> DiskUsage {
        var fields = [Int](repeating: 0, count: DiskUsage.fieldCount)
        let size = fields.count * MemoryLayout<Int>.size
        let count = pread(descriptor, &fields, size, 0)
        guard count >= 0 else {
            isShared = false
            return usage
        }
        let known = usage.listings
        usage = (count == size ? DiskUsage(fields: fields) : nil) ?? DiskUsage()
        // Another process's listing does not see what this one has reserved ahead.
        if usage.listings != known { (grant, freed) = (0, 0) }
        defer {
            if isDetached {
                (usage.isCounted, isDetached) = (false, false)
                generation += 1
            }
        }
        return usage
    }

    private mutating func save() {
        let fields = usage.fields
        let size = fields.count * MemoryLayout<Int>.size
        guard pwrite(descriptor, fields, size, 0) != size else { return }
        isShared = false
        // A part of the numbers must not be believed: an empty file is created from a listing.
        ftruncate(descriptor, 0)
    }

    private mutating func openFile(_ path: String) {
        var attributes = stat()
        if descriptor >= 0 {
            // Somebody may have removed the file, and other processes may use a new one.
            if fstat(descriptor, &attributes) == 0, attributes.st_nlink > 0 { return }
            close(descriptor)
            (grant, freed) = (0, 0)
            generation += 1
        }
        descriptor = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0o600)
        isShared = descriptor >= 0 && fstat(descriptor, &attributes) == 0 && attributes.isRegularFile
    }
}
