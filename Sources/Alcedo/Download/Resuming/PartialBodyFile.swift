import AlcedoLocks
import AlcedoTransport
import Foundation
import Glibc
import Synchronization

/// The file of one body in a ``PartialFolder``, open and locked.
final class PartialBodyFile: PartialFile {
    /// An end of the file after whole frames.
    private struct End {
        var position = 0

        /// Bytes of the body before it.
        var count = 0
    }

    private struct State {
        /// Nil before the file is open, and after it was closed.
        var descriptor: Int32?
        var end = End()

        /// The end when the file was taken.
        var taken = End()

        /// The head of the response; nil before the file is open.
        var response: PartialResponse?
    }

    private let name: String
    private let folder: PartialFolder
    private let frames: PartialFrames
    private let state = Lock(State())

    /// Whether the file is open or will be: without one, nothing is queued behind a disk that hangs.
    private let isUsed = Atomic(false)

    init(named name: String, in folder: PartialFolder) {
        self.name = name
        self.folder = folder
        frames = folder.frames(of: name)
    }

    // On the queue, because a disk that hangs may keep whoever closes a file, and this thread may be the network's.
    deinit {
        guard let descriptor = state.withLock({ $0.descriptor }) else { return }
        folder.queue.async { closeUnlocked(descriptor) }
    }

    // MARK: - Calls of a transfer

    /// Creates the file, or empties the one that is there.
    func create(_ response: PartialResponse) {
        // The head is not counted, but a disk that hangs rejects it.
        let isAccepted = folder.write(0) { [self] in
            try? makeFolder(folder.folder.path)
            guard response.total <= folder.byteLimit, let head = try? frames.head(of: response),
                let descriptor = folder.open(name, flags: O_CREAT)
            else { return }
            guard ftruncate(descriptor, 0) == 0 else {
                closeUnlocked(descriptor)
                return
            }
            folder.sweep()
            state.withLock { $0 = State(descriptor: descriptor, response: response.head) }
            write(head, ofBody: 0)
            state.withLock { $0.taken = $0.end }
        }
        if isAccepted { isUsed.store(true, ordering: .releasing) }
    }

    func append(_ bytes: Data, at offset: Int) {
        guard isUsed.load(ordering: .acquiring) else { return }
        folder.write(bytes.count) { [self] in
            let (end, response) = state.withLock { ($0.end, $0.response) }
            // Nothing is added behind a write that has failed: the body would have a gap.
            guard let response, end.count == offset, end.position > 0,
                let frame = try? frames.frame(bytes, at: end.position, of: response)
            else { return }
            write(frame, ofBody: bytes.count)
        }
    }

    func rewind() {
        queue { [self] in
            let (descriptor, end, taken) = state.withLock { ($0.descriptor, $0.end, $0.taken) }
            guard let descriptor, cut(descriptor, to: taken.position) else { return }
            state.withLock { $0.end = taken }
            folder.release(end.position - taken.position)
        }
    }

    func keep() { queue { [self] in end(removes: false) } }

    func remove() { queue { [self] in end(removes: true) } }

    private func queue(_ change: @escaping @Sendable () -> Void) {
        if isUsed.load(ordering: .acquiring) { folder.queue.async(execute: change) }
    }

    // MARK: - On the queue

    /// Uses a file that was read up to `position`; what follows is dropped.
    func adopt(_ descriptor: Int32, upTo position: Int, _ response: PartialResponse) {
        isUsed.store(true, ordering: .releasing)
        // Without an end, nothing is added.
        let end =
            cut(descriptor, to: position) ? End(position: position, count: response.body.count) : End()
        state.withLock {
            $0 = State(descriptor: descriptor, end: end, taken: end, response: response.head)
        }
    }

    /// Writes a frame; if there is no room or that fails, the file ends before it.
    private func write(_ frame: Data, ofBody count: Int) {
        let (descriptor, end) = state.withLock { ($0.descriptor, $0.end) }
        guard let descriptor, folder.reserve(frame.count) else { return }
        do {
            try folder.folder.fill(descriptor, with: frame)
            state.withLock { state in
                state.end.position += frame.count
                state.end.count += count
            }
        } catch {
            folder.release(frame.count)
            if !cut(descriptor, to: end.position) { state.withLock { ($0.end, $0.taken) = (End(), End()) } }
        }
    }

    /// Ends the file at a position, where the next write goes.
    private func cut(_ descriptor: Int32, to position: Int) -> Bool {
        ftruncate(descriptor, position) == 0 && lseek(descriptor, position, SEEK_SET) == position
    }

    private func end(removes: Bool) {
        let (descriptor, end) = state.withLock { ($0.descriptor.take(), $0.end) }
        guard let descriptor else { return }
        if removes, unlink(folder.folder.path(of: name)) == 0 { folder.release(end.position) }
        closeUnlocked(descriptor)
        if !removes { folder.sweep() }
    }
}
