import AlcedoLocks
import AlcedoTransport
import Foundation
import Glibc

/// The file of one body in a ``PartialFolder``, open and locked.
final class PartialBodyFile: PartialFile {
    private struct State {
        /// Nil before the file is open, and after it was closed.
        var descriptor: Int32?
        var end = 0

        /// The head of the response; nil before the file is open.
        var response: PartialResponse?

        /// Whether bytes are missing, so that none may follow.
        var hasGap = false
    }

    private let name: String
    private let folder: PartialFolder
    private let frames: PartialFrames
    private let state = Lock(State())

    init(named name: String, in folder: PartialFolder) {
        self.name = name
        self.folder = folder
        frames = folder.frames(of: name)
    }

    deinit {
        guard let descriptor = state.withLock({ $0.descriptor }) else { return }
        close(descriptor)
        release()
    }

    // MARK: - Calls of a transfer

    /// Creates the file, or empties the one that is there.
    func create(_ response: PartialResponse) {
        let isAccepted = folder.write(0) { [self] in
            try? makeFolder(folder.folder.path)
            guard folder.reserve(Int(response.total), for: name), let head = try? frames.head(of: response),
                let descriptor = folder.open(name, flags: O_CREAT)
            else { return fail() }
            state.withLock { ($0.descriptor, $0.response) = (descriptor, response.head) }
            guard ftruncate(descriptor, 0) == 0 else { return fail() }
            write(head)
        }
        if !isAccepted { fail() }
    }

    func append(_ bytes: Data) {
        let isAccepted = folder.write(bytes.count) { [self] in
            let (end, response) = state.withLock { ($0.end, $0.response) }
            guard let response, let frame = try? frames.frame(bytes, at: end, of: response)
            else { return fail() }
            write(frame)
        }
        if !isAccepted { fail() }
    }

    func keep() { folder.queue.async { [self] in end(removes: false) } }

    func remove() { folder.queue.async { [self] in end(removes: true) } }

    // MARK: - On the queue

    /// Uses a file that was read up to `end`; what follows is dropped.
    func adopt(_ descriptor: Int32, end: Int, _ response: PartialResponse) {
        let isCut = ftruncate(descriptor, end) == 0 && lseek(descriptor, end, SEEK_SET) == end
        state.withLock {
            $0 = State(descriptor: descriptor, end: end, response: response.head, hasGap: !isCut)
        }
        folder.reservations.withLock { $0[name] = Int(response.total) }
    }

    /// Writes a frame; if that fails, the file ends before it.
    private func write(_ frame: Data) {
        let current = state.withLock { $0 }
        guard let descriptor = current.descriptor, !current.hasGap else { return }
        do {
            try folder.folder.fill(descriptor, with: frame)
            state.withLock { $0.end += frame.count }
        } catch {
            ftruncate(descriptor, current.end)
            fail()
        }
    }

    private func fail() { state.withLock { $0.hasGap = true } }

    private func end(removes: Bool) {
        guard let descriptor = state.withLock({ $0.descriptor.take() }) else { return release() }
        if removes { unlink(folder.folder.path(of: name)) }
        close(descriptor)
        release()
        if !removes { folder.sweep() }
    }

    private func release() { folder.reservations.withLock { $0[name] = nil } }
}
