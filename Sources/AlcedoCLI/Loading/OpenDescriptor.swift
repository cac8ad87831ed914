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
        while true {
            var code: Int32 = 0
            switch poll(&state, 1, 100) {
            case 0: code = EAGAIN
            case ..<0: code = errno
            default:
                let chunk = [UInt8](unsafeUninitializedCapacity: 65_536) { target, count in
                    let result = Glibc.read(number, target.baseAddress, target.count)
                    if result < 0 { code = errno }
                    count = max(0, result)
                }
                if code == 0 { return chunk }
            }
            // Another reader of the pipe may have been faster.
            guard [EAGAIN, EINTR].contains(code) else {
                throw Failure("it cannot be read (\(String(cString: strerror(code))))")
            }
            if Task.isCancelled { return nil }
        }
    }
}
