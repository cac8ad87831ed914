import AlcedoLocks
import Dispatch
import Glibc

/// The account of a folder's size, shared by all processes that store in it with a limit.
///
/// It is kept in the file `.alcedo-size`, which is locked while it is read and changed. The lock goes with the process
/// that holds it. Where there is no such file or lock, or a process that has it is stopped, each process has an account of
/// its own. So that not every store
/// needs it, a little more than one store's bytes is reserved at once, and what has become of them is told later: the
/// account may say too much by that little, but not too little.
final class DiskLedger: Sendable {
    private struct State {
        var account = DiskAccount()
        var descriptor: Int32 = -1
        var place: DiskPlace?

        /// Whether the file could not be written or read, so that the account is here only.
        var isUnsaved = false

        /// Whether the lock did not come free in time, so that the account has gone on here.
        var isAlone = false

        /// What is reserved for stores to come.
        var purse = 0

        /// What is being written, and the purse.
        var inFlight = 0

        /// What is over, and what of that has gone, since the account was last told.
        var settled = 0
        var gone = 0

        /// All that was ever reserved: a process that stores little leaves little untold when it ends.
        var reservedEver = 0

        func spare(_ most: Int) -> Int { min(most, reservedEver / 32) }

        mutating func withSharedAccount<Result, Failure: Error>(
            at path: String,
            _ body: (_ account: inout DiskAccount, _ inFlight: inout Int) throws(Failure) -> sending Result
        ) throws(Failure) -> sending Result {
            openFile(path)
            let wasAlone = isAlone
            let isShared = descriptor >= 0 && lock()
            defer { if isShared { flock(descriptor, LOCK_UN) } }
            if isShared, !isUnsaved {
                // What can't be read must not be waited for: the account goes on here.
                if let saved = read(descriptor) { account = saved } else { isUnsaved = true }
                // It was not told what was stored here meanwhile.
                if wasAlone { account.forget() }
            }
            let before = account
            // By itself, a process needs no place to tell itself from others.
            let place = place?.number ?? (isShared ? nil : 0)
            if let place { account.setFlight(inFlight, at: place) }
            account.remove(gone)
            (settled, gone) = (0, 0)
            defer {
                if let place { account.setFlight(inFlight, at: place) }
                if isShared, isUnsaved || account != before { save() }
            }
            return try body(&account, &inFlight)
        }

        /// Waits until nobody else has the account, but not for ever: a process that has it may have been stopped.
        ///
        /// - Returns: whether it is locked; as soon as it has not come free once, no one waits again until it has.
        private mutating func lock() -> Bool {
            let deadline = DispatchTime.now() + (isAlone ? 0 : patience)
            var pause: UInt32 = 20
            while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
                if errno == EINTR { continue }
                guard errno == EWOULDBLOCK else { return false }
                guard DispatchTime.now() < deadline else {
                    isAlone = true
                    return false
                }
                usleep(pause)
                pause = min(pause * 2, 2000)
            }
            isAlone = false
            return true
        }

        var hasNews: Bool { settled != 0 || gone != 0 }

        mutating func emptyPurse() {
            inFlight -= purse
            settled += purse
            gone += purse
            purse = 0
        }

        private mutating func openFile(_ path: String) {
            var attributes = stat()
            if descriptor >= 0 {
                if fstat(descriptor, &attributes) == 0, attributes.st_nlink > 0 {
                    if place?.isRemoved == true { place = .firstFree(of: path) }
                    return
                }
                close(descriptor)
                // What it said is over.
                emptyPurse()
                (settled, gone) = (0, 0)
            }
            place = nil
            descriptor = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else { return }
            guard fstat(descriptor, &attributes) == 0, attributes.isRegularFile else {
                close(descriptor)
                descriptor = -1
                return
            }
            place = .firstFree(of: path)
        }

        private mutating func save() {
            let fields = account.fields
            let size = fields.count * MemoryLayout<Int>.size
            isUnsaved = pwrite(descriptor, fields, size, 0) != size
            // Half an account must not be believed.
            if isUnsaved { ftruncate(descriptor, 0) }
        }
    }

    private let path: String
    private let state = Lock(State())

    init(folder: DiskFolder) {
        path = folder.path(of: ".alcedo-size")
    }

    deinit {
        state.withLock { state in
            guard state.descriptor >= 0 else { return }
            state.emptyPurse()
            if state.hasNews { state.withSharedAccount(at: path) { _, _ in } }
            close(state.descriptor)
        }
    }

    /// Looks at the account and changes it while nobody else does, in this process or another.
    ///
    /// - Parameters:
    ///   - emptiesPurse: whether what is reserved for stores to come is given back first.
    ///   - body: what it does to files that the account counts is one step with the change.
    /// - Throws: what `body` throws.
    /// - Returns: what `body` returns.
    func withAccount<Result, Failure: Error>(
        emptyingPurse emptiesPurse: Bool = false,
        _ body: (inout DiskAccount) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        try state.withLock { (state: inout sending State) throws(Failure) -> sending Result in
            if emptiesPurse { state.emptyPurse() }
            return try state.withSharedAccount(at: path) { (account, _) throws(Failure) in try body(&account)
            }
        }
    }

    /// A listing begins: what is reserved for stores to come is given back, and what killed processes had.
    ///
    /// - Returns: where the account is now.
    func beginListing() -> DiskAccount.Mark {
        state.withLock { state in
            state.emptyPurse()
            if state.place == nil { state.place = .firstFree(of: path) }
            let own = state.place?.number ?? 0
            return state.withSharedAccount(at: path) { account, _ in
                account.beginListing { $0 != own && (try? DiskPlace($0, of: path)) != nil }
            }
        }
    }

    /// Takes `bytes` of the room below `ceiling`, and `spare` more for later at most.
    ///
    /// - Returns: whether there was so much.
    func reserve(_ bytes: Int, below ceiling: Int, spare: Int) -> Bool {
        state.withLock { state in
            if state.purse < bytes {
                state.emptyPurse()
                let amounts = [bytes + state.spare(spare), bytes]
                let reserved = state.withSharedAccount(at: path) { account, inFlight in
                    let reserved = amounts.first { account.reserve($0, below: ceiling) }
                    inFlight += reserved ?? 0
                    return reserved
                }
                guard let reserved else { return false }
                state.purse = reserved
            }
            state.purse -= bytes
            state.reservedEver &+= bytes
            return true
        }
    }

    /// A store is over.
    ///
    /// - Parameters:
    ///   - reserved: the bytes that it had reserved.
    ///   - isStored: whether there is a file of so many bytes now; if it failed there is none.
    ///   - spare: how many bytes the account may be told later at most.
    /// - Returns: what the files take together now, as far as this process knows.
    @discardableResult
    func settle(_ reserved: Int, isStored: Bool, spare: Int) -> Int {
        state.withLock { state in
            state.inFlight -= reserved
            state.settled += reserved
            if !isStored { state.gone += reserved }
            if state.settled + state.gone > state.spare(spare) {
                state.withSharedAccount(at: path) { _, _ in }
            }
            return state.account.total - state.gone - state.purse
        }
    }
}

/// How long one waits for the account, in seconds; it is never held for more than the removal of a few files.
private let patience = 2.0

/// The account in the file, one that knows nothing if there is none or it is damaged; nil if it can't be read.
private func read(_ descriptor: Int32) -> DiskAccount? {
    var fields = [Int](repeating: 0, count: DiskAccount.fieldCount + 1)
    let size = fields.count * MemoryLayout<Int>.size
    let count = pread(descriptor, &fields, size, 0)
    guard count >= 0 else { return nil }
    return (count == size ? DiskAccount(fields: fields) : nil) ?? DiskAccount()
}
