import AlcedoLocks
import Glibc
import Synchronization

/// What is known of the terminal, if there is one.
package enum Terminal {
    /// Whether what is written to standard output is seen at once by a person.
    package static var showsOutput: Bool { isatty(STDOUT_FILENO) == 1 }

    /// Whether what is written to standard error is seen at once by a person.
    package static var showsErrors: Bool { isatty(STDERR_FILENO) == 1 }

    /// Columns of the terminal; 80 if there is none.
    package static var columns: Int {
        var size = winsize()
        for descriptor in [STDOUT_FILENO, STDERR_FILENO]
        where ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 {
            return Int(size.ws_col)
        }
        return getenv("COLUMNS").flatMap { Int(String(cString: $0)) }.map { max(20, $0) } ?? 80
    }

    private static let lostOutput = Atomic(false)

    /// Whether something could not be written to standard output.
    package static var hasLostOutput: Bool { lostOutput.load(ordering: .relaxed) }

    /// Held while a text is written: a pipe takes a long one in parts, between which others could write.
    private static let printing = Lock(())

    /// Writes text to standard output, all of it and at once.
    package static func print(_ text: String) {
        let isWritten = printing.withLock { _ in write(text, to: STDOUT_FILENO) }
        if !isWritten { lostOutput.store(true, ordering: .relaxed) }
    }

    /// Writes text to standard error, all of it and at once.
    package static func printError(_ text: String) { _ = write(text, to: STDERR_FILENO) }

    private static func write(_ text: String, to descriptor: Int32) -> Bool {
        var text = text
        return text.withUTF8 { bytes in write(UnsafeRawBufferPointer(bytes), to: descriptor) }
    }

    /// Writes bytes to a descriptor; false if they can't all be written.
    package static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let base = UnsafeRawBufferPointer(rebasing: rest).baseAddress
            let count = Glibc.write(descriptor, base, rest.count)
            if count < 0 {
                guard errno == EINTR else { return false }
            } else {
                rest = rest.dropFirst(count)
            }
        }
        return true
    }
}
