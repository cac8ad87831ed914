import Foundation
import Glibc

/// One of a folder's places to count in what a storage is writing; free again when its process is gone.
///
/// It is the lock of an empty file, `.alcedo-size-0` and so on, which the kernel releases with the process.
final class DiskPlace: Sendable {
    let number: Int

    private let descriptor: Int32

    /// The first place that is free; nil if there is none, or files can't be made or locked.
    static func firstFree(of account: String) -> DiskPlace? {
        for number in 0..<DiskAccount.places {
            do throws(POSIXError) { return try DiskPlace(number, of: account) } catch {
                guard error.code == .EWOULDBLOCK else { return nil }
            }
        }
        return nil
    }

    /// Throws `EWOULDBLOCK` if another has it, in this process or another.
    init(_ number: Int, of account: String) throws(POSIXError) {
        let flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
        descriptor = open("\(account)-\(number)", flags, 0o600)
        self.number = number
        guard descriptor >= 0, flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { throw lastPOSIXError() }
    }

    /// Whether somebody has removed its file, so that another may have the place as well.
    var isRemoved: Bool {
        var attributes = stat()
        return fstat(descriptor, &attributes) != 0 || attributes.st_nlink == 0
    }

    deinit {
        guard descriptor >= 0 else { return }
        // A process that is being started has the descriptor as well until it closes it.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }
}
