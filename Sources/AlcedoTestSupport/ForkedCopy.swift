import CSpawn
import Glibc

/// A copy of this process that `fork` has made, which has the calling thread only.
package enum ForkedCopy {
    /// What `body` returns in a copy, from 0 to 255; -1 if a signal has ended that.
    ///
    /// The copy must not need what another thread may have locked.
    package static func result(of body: () -> Int32) -> Int32 {
        let id = alcedo_fork()
        if id == 0 { _exit(body()) }
        return end(of: id)
    }

    /// Waits until a copy has ended, for its exit status.
    fileprivate static func end(of id: Int32) -> Int32 {
        var status: Int32 = 0
        while waitpid(id, &status, 0) < 0, errno == EINTR {}
        return status & 0x7F == 0 ? status >> 8 & 0xFF : -1
    }
}

/// A process that traces another one, as a debugger does: until it ends, the other can be killed, but not be reaped.
package final class Tracer: Sendable {
    private let id: Int32

    /// Starts to trace a process; nil where this user may not.
    package init?(of process: Int32) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return nil }
        let (reading, writing) = (ends[0], ends[1])
        id = alcedo_fork()
        if id == 0 {
            // Sockets of other tests must not stay open because of this.
            for descriptor in 3..<Int32(4096) where descriptor != writing { close(descriptor) }
            if alcedo_trace(process) == 0 { _ = write(writing, "1", 1) }
            close(writing)
            while true { pause() }
        }
        close(writing)
        var byte: UInt8 = 0
        let isTracing = read(reading, &byte, 1) == 1
        close(reading)
        guard isTracing else {
            end()
            return nil
        }
    }

    package static let isAllowed: Bool = {
        let process = alcedo_fork()
        if process == 0 { while true { pause() } }
        let tracer = Tracer(of: process)
        tracer?.end()
        kill(process, SIGKILL)
        _ = ForkedCopy.end(of: process)
        return tracer != nil
    }()

    package func end() {
        kill(id, SIGKILL)
        _ = ForkedCopy.end(of: id)
    }
}
