import Foundation
import Glibc
import Testing

/// A copy of the descriptor by which this process has a file open, as a program that is being started has until its `exec`.
func copyOfDescriptor(of path: String) throws -> Int32 {
    func isSame(_ descriptor: Int32) -> Bool {
        var (own, named) = (stat(), stat())
        return fstat(descriptor, &own) == 0 && stat(path, &named) == 0
            && own.st_ino == named.st_ino && own.st_dev == named.st_dev
    }
    let open = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap { Int32($0) }
    let descriptor = try #require(open.first(where: isSame))
    let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
    try #require(copy >= 0 && isSame(copy))
    return copy
}
