package import Foundation
import Glibc

/// A file system that never responds: one in user space without a program that serves it.
///
/// Whoever uses a path below it waits in the kernel, until ``end()``. Needs root rights and `/dev/fuse`.
package final class HungFileSystem: Sendable {
    private let parent: TemporaryDirectory
    private let connection: Int32

    /// The place of the file system; asking for any attribute of it hangs.
    package let path: String

    package init() throws {
        parent = try TemporaryDirectory()
        path = parent.path + "/hung"
        guard mkdir(path, 0o700) == 0 else { throw POSIXError(.EIO) }
        connection = open("/dev/fuse", O_RDWR | O_CLOEXEC)
        guard connection >= 0 else { throw POSIXError(.ENODEV) }
        let options = "fd=\(connection),rootmode=40000,user_id=\(getuid()),group_id=\(getgid())"
        guard mount("hung", path, "fuse", UInt(MS_NOSUID | MS_NODEV), options) == 0 else {
            close(connection)
            throw POSIXError(.EPERM)
        }
    }

    deinit {
        end()
        umount2(path, Int32(MNT_DETACH))
        // Before the folder above it is listed.
        rmdir(path)
        close(connection)
    }

    package static let isPossible = (try? HungFileSystem()) != nil

    package func file(_ name: String) -> URL { URL(fileURLWithPath: path + "/" + name, isDirectory: false) }

    /// Fails the calls that wait, and all later ones.
    package func end() {
        // The descriptor stays open, and its number so nobody else's.
        let nothing = open("/dev/null", O_RDONLY | O_CLOEXEC)
        dup2(nothing, connection)
        _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
        close(nothing)
    }
}
