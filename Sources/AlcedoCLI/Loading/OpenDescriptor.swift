import Glibc

/// An open file, pipe or terminal; closed with its last reference.
final class OpenDescriptor: Sendable {
    let number: Int32

    /// Takes over a descriptor.
    init(_ number: Int32) { self.number = number }

    deinit { close(number) }

    /// Waits for bytes, and checks for cancellation every 100 ms; empty at the end, nil once the task is cancelled.
    func read() throws(Failure) -> [UInt8]? {
        var state = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
        while poll(&state, 1, 100) == 0 {
            if Task.isCancelled { return nil }
        }
        var code: Int32 = 0
        let chunk = [UInt8](unsafeUninitializedCapacity: 65_536) { target, count in
            let result = Glibc.read(number, target.baseAddress, target.count)
            if result < 0 { code = errno }
            count = max(0, result)
        }
        guard code == 0 else { throw Failure("it cannot be read (\(String(cString: strerror(code))))") }
        return chunk
    }
}
