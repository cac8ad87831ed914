import Dispatch
import Glibc

/// The right to trim a folder, which one thread of one process has at a time; gone with the value, or the process.
///
/// Trims at once do no harm, but each would list the folder. So the wait for the right is limited, and where files can't
/// be locked everybody has it.
struct TrimTurn: ~Copyable {
    /// How long one waits, in seconds, before one takes the holder for a process that has been stopped.
    private static let patience = 10.0

    private let descriptor: Int32

    /// Takes the right as soon as nobody has it.
    static func wait(for folder: DiskFolder) -> TrimTurn {
        let deadline = DispatchTime.now() + patience
        while true {
            if let turn = TrimTurn(folder: folder, until: deadline) { return turn }
            usleep(1000)
        }
    }

    private init?(folder: DiskFolder, until deadline: DispatchTime) {
        descriptor = open(folder.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        if flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK { return }
        if DispatchTime.now() < deadline { return nil }
    }

    deinit {
        guard descriptor >= 0 else { return }
        // A process that is being started has the descriptor as well until it closes it.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }
}
