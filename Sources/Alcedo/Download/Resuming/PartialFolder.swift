import AlcedoLocks
import AlcedoTransport
import Dispatch
import Foundation
import Glibc

/// A folder with one file per partial response.
///
/// All its work runs on one queue. A file is locked while a transfer uses it, so several processes may share the folder. A
/// lookup that takes 2 s finds nothing; until the disk responds, further lookups find nothing either, and nothing is written.
final class PartialFolder: PartialStore {
    /// The most bytes that wait to be written; beyond it a body's file keeps only what it has.
    private static let pendingLimit = 8 << 20
    static let suffix = ".partial"

    private struct State {
        var pendingBytes = 0

        /// Lookups that have timed out and not ended.
        var stalled = 0
    }

    let folder: DiskFolder
    let byteLimit: Int
    let expiration: TimeInterval
    private let transform: (any DiskTransform)?
    let now: @Sendable () -> Date
    private let timeout: RetryTimer
    let queue = DispatchQueue(label: "alcedo.partial")
    private let state = Lock(State())

    /// Bytes of all files: exact after a sweep, then with what this process has written; used on the queue.
    let usedBytes = Lock(0)

    init(
        path: String, byteLimit: Int, expiration: TimeInterval, transform: (any DiskTransform)? = nil,
        now: @escaping @Sendable () -> Date = { Date() },
        timeout: @escaping RetryTimer = retryTimer
    ) {
        folder = DiskFolder(path: path)
        // So that sums of a few limits do not overflow.
        self.byteLimit = min(byteLimit, 1 << 50)
        self.expiration = expiration
        self.transform = transform
        self.now = now
        self.timeout = timeout
        queue.async { [self] in sweep() }
    }

    static func name(of key: String) -> String { sha256Hex(key) + suffix }
    func frames(of name: String) -> PartialFrames { PartialFrames(name: name, transform: transform) }

    // MARK: - Use by a transport

    func take(
        _ key: String,
        _ found: @escaping @Sendable ((response: PartialResponse, file: any PartialFile)?) -> Void
    ) {
        guard !isStalled else { return found(nil) }
        let isOver = OnceFlag()
        let cancel = timeout(2) { [weak self] in
            guard let self, isOver.set() else { return }
            state.withLock { $0.stalled += 1 }
            found(nil)
        }
        queue.async { [self] in
            let partial = read(Self.name(of: key))
            cancel()
            if isOver.set() { return found(partial) }
            state.withLock { $0.stalled -= 1 }
            // The transfer has started without it, so the file is unlocked again.
            partial?.file.keep()
        }
    }

    private var isStalled: Bool { state.withLock { $0.stalled > 0 } }

    func makeFile(for key: String, _ response: PartialResponse) -> any PartialFile {
        let file = PartialBodyFile(named: Self.name(of: key), in: self)
        file.create(response)
        return file
    }

    /// Runs a write of so many bytes later; false if too many wait, or the disk hangs.
    @discardableResult
    func write(_ count: Int, _ body: @escaping @Sendable () -> Void) -> Bool {
        let isAccepted = state.withLock { state in
            guard state.stalled <= 0, state.pendingBytes + count <= Self.pendingLimit else { return false }
            state.pendingBytes += count
            return true
        }
        guard isAccepted else { return false }
        queue.async { [self] in
            body()
            state.withLock { $0.pendingBytes -= count }
        }
        return true
    }

    // MARK: - On the queue

    private func read(_ name: String) -> (response: PartialResponse, file: any PartialFile)? {
        guard let descriptor = open(name, flags: 0) else { return nil }
        guard let data = content(of: descriptor), let (response, end) = frames(of: name).response(in: data),
            response.body.count >= PartialResponse.minimumBytes, response.body.count < response.total,
            response.total <= byteLimit
        else {
            unlink(folder.path(of: name))
            closeUnlocked(descriptor)
            return nil
        }
        let file = PartialBodyFile(named: name, in: self)
        file.adopt(descriptor, upTo: end, response)
        return (response, file)
    }

    /// Opens and locks a file; nil if it does not exist or is in use.
    func open(_ name: String, flags: Int32) -> Int32? {
        let path = folder.path(of: name)
        // Neither follows a link to another file nor waits for the writer of a pipe at that name.
        let descriptor = Glibc.open(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | flags, 0o600)
        guard descriptor >= 0 else { return nil }
        var attributes = stat()
        // It may have been removed since it was opened.
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0, fstat(descriptor, &attributes) == 0,
            attributes.isRegularFile, attributes.st_nlink > 0
        else {
            close(descriptor)
            return nil
        }
        return descriptor
    }

    /// All bytes of a file that has not expired.
    private func content(of descriptor: Int32) -> Data? {
        var attributes = stat()
        // Headers of frames and a transform make a file larger than its body.
        guard fstat(descriptor, &attributes) == 0, !isExpired(attributes),
            attributes.st_size <= byteLimit + byteLimit / 4 + (1 << 20)
        else { return nil }
        var data = Data(count: attributes.st_size)
        let count = data.withUnsafeMutableBytes { bytes -> Int in
            var filled = 0
            while filled < bytes.count {
                let step = Glibc.read(descriptor, bytes.baseAddress.map { $0 + filled }, bytes.count - filled)
                if step < 0, errno == EINTR { continue }
                if step <= 0 { break }
                filled += step
            }
            return filled
        }
        return data.prefix(count)
    }

    func isExpired(_ attributes: stat) -> Bool {
        now().timeIntervalSince1970 - Double(attributes.modificationSecond) >= expiration
    }
}

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
        items.sort { $0.attributes.modificationSecond < $1.attributes.modificationSecond }
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
