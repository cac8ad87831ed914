import AlcedoLocks
import Glibc
import Synchronization

/// Access to standard output, standard error and the terminal.
package enum Terminal {
    /// Whether standard output is a terminal.
    package static var showsOutput: Bool { isatty(STDOUT_FILENO) == 1 }

    /// Whether standard error is a terminal.
    package static var showsErrors: Bool { isatty(STDERR_FILENO) == 1 }

    /// The width of the terminal in columns; `COLUMNS` or else 80 without a terminal.
    package static var columns: Int {
        var size = winsize()
        for descriptor in [STDOUT_FILENO, STDERR_FILENO]
        where ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 {
            return Int(size.ws_col)
        }
        return getenv("COLUMNS").flatMap { Int(String(cString: $0)) }.map { max(20, $0) } ?? 80
    }

    /// The height of the terminal in lines; 24 without a terminal.
    package static var rows: Int {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_row > 0 else { return 24 }
        return Int(size.ws_row)
    }

    /// The size of a character cell in pixels; nil if it is unknown.
    static var cell: (width: Int, height: Int)? {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_row > 0, size.ws_col > 0,
            size.ws_xpixel >= size.ws_col, size.ws_ypixel >= size.ws_row
        else { return nil }
        return (Int(size.ws_xpixel / size.ws_col), Int(size.ws_ypixel / size.ws_row))
    }

    private static let lostOutput = Atomic(false)

    /// Whether a write to standard output has failed.
    package static var hasLostOutput: Bool { lostOutput.load(ordering: .relaxed) }

    /// Serialises writes to standard output, because a pipe accepts a long text in parts that could interleave.
    private static let printing = Lock(())

    /// Writes text to standard output, unbuffered.
    package static func print(_ text: String) {
        let isWritten = printing.withLock { _ in write(text, to: STDOUT_FILENO) }
        if !isWritten { lostOutput.store(true, ordering: .relaxed) }
    }

    /// Writes text to standard error, unbuffered.
    package static func printError(_ text: String) { _ = write(text, to: STDERR_FILENO) }

    private static func write(_ text: String, to descriptor: Int32) -> Bool {
        var text = text
        return text.withUTF8 { bytes in write(UnsafeRawBufferPointer(bytes), to: descriptor) }
    }

    /// Writes all bytes to a descriptor; false on failure.
    package static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Bool {
        var remaining = bytes[...]
        while !remaining.isEmpty {
            let base = UnsafeRawBufferPointer(rebasing: remaining).baseAddress
            let count = Glibc.write(descriptor, base, remaining.count)
            if count < 0 {
                guard errno == EINTR else { return false }
            } else {
                remaining = remaining.dropFirst(count)
            }
        }
        return true
    }
}
