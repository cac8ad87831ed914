import AlcedoLocks
import Dispatch
import Glibc

/// The size limit of a folder, shared by all processes that store in it.
///
/// The file `.alcedo-size` holds a ``DiskUsage``, updated under an advisory lock. A process reserves bytes before it
/// writes, and some ahead (its grant), so that few stores touch the file: up to a 256th of the limit and a 16th of what it
/// has stored. A killed process leaves
/// reservations behind until the next listing. Without the file or its lock, each process counts its own stores.
final class DiskQuota: Sendable {
    enum Decision { case granted, full, uncounted }

    fileprivate struct State {
        var usage = DiskUsage()
        var descriptor: Int32 = -1

        /// Bytes reserved ahead, and the most that are kept.
        var grant = 0
        var largestGrant = 0

        /// Whether the file can be read and written.
        var isShared = false

        /// Whether ``usage`` has changes that the file lacks, because the lock was not free in time.
        var isDetached = false

        /// Bytes that this process has reserved, and those whose files may not be visible yet.
        var reserved = 0
        var inFlight = 0

        var refusals = 0
    }

    private let path: String
    private let state = Lock(State())

    init(folder: DiskFolder) {
        path = folder.path(of: ".alcedo-size")
    }

    deinit {
        state.withLock { state in
            if state.grant > 0 { state.returnGrant(at: path) }
            if state.descriptor >= 0 { close(state.descriptor) }
        }
    }

    /// The size up to which stores succeed while a trim runs: the limit and 5 %.
    static func ceiling(of limit: Int) -> Int {
        let (sum, overflow) = limit.addingReportingOverflow(limit / 20)
        return overflow ? .max : sum
    }

    /// Reserves bytes for a store; never blocks for room.
    ///
    /// - Returns: `uncounted` if a listing has to come first.
    func reserve(_ bytes: Int, limit: Int) -> Decision {
        state.withLock { state in
            state.largestGrant = limit / 256
            if state.grant < bytes {
                let (needed, ahead) = (bytes - state.grant, min(state.largestGrant, state.reserved / 16))
                let decision = state.update(at: path) { usage, grant in
                    guard usage.isCounted else { return Decision.uncounted }
                    let room = Self.ceiling(of: limit) - usage.total
                    guard needed <= room else { return .full }
                    let amount = needed + min(ahead, room - needed)
                    usage.reserve(amount)
                    grant += amount
                    return .granted
                }
                guard decision == .granted else { return decision }
            }
            state.grant -= bytes
            state.reserved &+= bytes
            state.inFlight += bytes
            return .granted
        }
    }

    /// Ends a store that reserved `bytes`; returns those of a failed store or a replaced file.
    func settle(_ bytes: Int, releasing released: Int) {
        state.withLock { $0.inFlight -= bytes }
        if released > 0 { release(released) }
    }

    /// Returns the bytes of a removed file.
    func release(_ bytes: Int) {
        state.withLock { state in
            state.grant += bytes
            if state.grant > state.largestGrant { state.returnGrant(at: path) }
        }
    }

    /// Whether the limit is reached, or as many bytes as the limit were stored since the last listing.
    func needsTrim(limit: Int) -> Bool {
        state.withLock {
            $0.usage.total - $0.grant >= limit || $0.usage.isCounted && $0.usage.reservedSinceCount >= limit
        }
    }

    /// Requires a listing before the next store: files were stored without a reservation.
    func invalidate() {
        state.withLock { state in
            state.returnGrant(at: path)
            state.update(at: path) { usage, _ in usage.isCounted = false }
        }
    }

    /// Starts a listing.
    ///
    /// - Returns: what ``endCount(_:total:)`` needs, and the bytes that this process is writing.
    func beginCount() -> (start: Int, inFlight: Int) {
        state.withLock { state in
            state.returnGrant(at: path)
            return (state.usage.reserved, state.inFlight)
        }
    }

    /// Ends a listing that found `bytes`, those in flight included.
    ///
    /// - Returns: the bytes of all entries and reservations.
    func endCount(_ start: Int, total bytes: Int) -> Int {
        state.withLock { state in
            state.update(at: path) { usage, _ in
                usage.setCount(bytes, since: start)
                return usage.total
            }
        }
    }

    /// Bytes of all entries and reservations, as all processes count them.
    var total: Int { state.withLock { $0.update(at: path) { usage, grant in usage.total - grant } } }

    /// Stores that this process dropped because there was no room.
    var refusals: Int { state.withLock { $0.refusals } }

    func countRefusal() { state.withLock { $0.refusals += 1 } }
}

// MARK: - The shared file

extension DiskQuota.State {
    fileprivate mutating func returnGrant(at path: String) {
        update(at: path) { usage, grant in
            usage.release(grant)
            grant = 0
        }
    }

    /// Changes the usage in the file, or in this process alone if the file can't be had.
    fileprivate mutating func update<Result>(
        at path: String, _ change: (_ usage: inout DiskUsage, _ grant: inout Int) -> Result
    ) -> Result {
        openFile(path)
        guard isShared, lock() else { return change(&usage, &grant) }
        defer { flock(descriptor, LOCK_UN) }
        load()
        let before = usage
        defer { if isShared, usage != before { save() } }
        return change(&usage, &grant)
    }

    /// Takes the advisory lock; gives up after 0.1 s, as its holder may be stopped.
    private mutating func lock() -> Bool {
        let deadline = DispatchTime.now() + (isDetached ? 0 : 0.1)
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            if errno == EINTR { continue }
            guard errno == EWOULDBLOCK, DispatchTime.now() < deadline else {
                isDetached = true
                return false
            }
            usleep(50)
        }
        return true
    }

    private mutating func load() {
        var fields = [Int](repeating: 0, count: DiskUsage.fieldCount)
        let size = fields.count * MemoryLayout<Int>.size
        let count = pread(descriptor, &fields, size, 0)
        guard count >= 0 else { return isShared = false }
        usage = (count == size ? DiskUsage(fields: fields) : nil) ?? DiskUsage()
        if isDetached { (usage.isCounted, isDetached) = (false, false) }
    }

    private mutating func save() {
        let fields = usage.fields
        let size = fields.count * MemoryLayout<Int>.size
        guard pwrite(descriptor, fields, size, 0) != size else { return }
        isShared = false
        ftruncate(descriptor, 0)
    }

    private mutating func openFile(_ path: String) {
        var attributes = stat()
        if descriptor >= 0 {
            if fstat(descriptor, &attributes) == 0, attributes.st_nlink > 0 { return }
            close(descriptor)
            grant = 0
        }
        descriptor = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0o600)
        isShared = descriptor >= 0 && fstat(descriptor, &attributes) == 0 && attributes.isRegularFile
    }
}
