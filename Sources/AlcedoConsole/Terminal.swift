import AlcedoLocks
import Glibc
import Synchronization

/// Access to standard output, standard error and the terminal.
package enum Terminal {
    package static var showsOutput: Bool { isatty(STDOUT_FILENO) == 1 }
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

    /// What is drawn on the screen, and changes.
    private struct Screen {
        /// The progress line on standard error; empty if there is none.
        var status = ""

        /// What returns to the place of a picture, and what leaves it; nil without one.
        var picture: (enter: String, leave: String)?
    }

    /// Held for each write to a terminal.
    private static let screen = Lock(Screen())

    /// Writes text to standard output, unbuffered; a progress line stays below it.
    package static func print(_ text: String) {
        let isWritten = printing.withLock { _ in
            guard showsOutput else { return write(text, to: STDOUT_FILENO) }
            return screen.withLock { put(text, to: STDOUT_FILENO, beside: $0) }
        }
        if !isWritten { lostOutput.store(true, ordering: .relaxed) }
    }

    /// Writes text to standard error, unbuffered; a progress line stays below it.
    package static func printError(_ text: String) {
        // A pipe at standard output that nobody reads must not hold up messages, so they wait for a terminal only.
        if showsErrors {
            screen.withLock { _ = put(text, to: STDERR_FILENO, beside: $0) }
        } else {
            _ = write(text, to: STDERR_FILENO)
        }
    }

    /// Writes text to standard error, or drops it if that would block.
    package static func tryToPrintError(_ text: String) {
        var output = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
        guard poll(&output, 1, 0) == 1, output.revents & Int16(POLLOUT) != 0 else { return }
        printError(text)
    }

    private static func put(_ text: String, to descriptor: Int32, beside screen: Screen) -> Bool {
        guard !screen.status.isEmpty else { return write(text, to: descriptor) }
        _ = write(clearing, to: STDERR_FILENO)
        defer { _ = write(screen.status, to: STDERR_FILENO) }
        return write(text, to: descriptor)
    }

    /// Draws a line on standard error in place of the one before; removes that if the text is empty.
    package static func drawStatus(_ line: String) {
        screen.withLock { screen in
            guard line != screen.status else { return }
            // A longer line would break, and its first part would stay.
            screen.status = String(line.prefix(columns - 1))
            _ = write(clearing + screen.status, to: STDERR_FILENO)
        }
    }

    /// The escape sequence that clears a line.
    static let clearing = "\r\u{1B}[K"

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

/// Pictures in one place, and the end or the stop of the program while there is one.
extension Terminal {
    private static let hidesCursor = Atomic(false)

    /// Prints `enter`, which reserves a place and hides the cursor; `leave` shows it below.
    package static func enterPicture(_ enter: String, leave: String) {
        guard showsOutput else { return print(enter) }
        // Under one lock, so that a stop in between leaves no hidden cursor.
        screen.withLock { screen in
            screen.picture = (enter, leave)
            hidesCursor.store(true, ordering: .releasing)
            _ = put(enter, to: STDOUT_FILENO, beside: screen)
        }
    }

    /// Prints `leave`, after which there is no picture.
    package static func leavePicture(_ leave: String) {
        guard showsOutput else { return print(leave) }
        screen.withLock { screen in
            _ = put(leave, to: STDOUT_FILENO, beside: screen)
            hidesCursor.store(false, ordering: .releasing)
            screen.picture = nil
        }
    }

    /// Changes the terminal's settings while nothing is drawn and the process is not being stopped.
    static func holdingScreen<Result>(_ body: () -> Result) -> Result { screen.withLock { _ in body() } }

    /// Leaves the screen to the shell while `stop` stops the process, and draws again afterwards.
    package static func suspend(while stop: () -> Void) {
        screen.withLock { screen in
            if let picture = screen.picture { _ = write(picture.leave, to: STDOUT_FILENO) }
            if !screen.status.isEmpty { _ = write(clearing, to: STDERR_FILENO) }
            TerminalKeys.restore()
            stop()
            TerminalKeys.read()
            if let picture = screen.picture { _ = write(picture.enter, to: STDOUT_FILENO) }
            if !screen.status.isEmpty { _ = write(screen.status, to: STDERR_FILENO) }
        }
    }

    /// Shows the cursor and sets the keys as they were, at an end that waits for nothing.
    ///
    /// A signal handler may call it once other code has: the first call initialises globals, which takes a lock.
    package static func restore() {
        TerminalKeys.restore()
        guard hidesCursor.load(ordering: .acquiring) else { return }
        var output = pollfd(fd: STDOUT_FILENO, events: Int16(POLLOUT), revents: 0)
        guard poll(&output, 1, 0) == 1 else { return }
        let (escape, length) = ("\u{1B}[?25h" as StaticString, 6)
        _ = Glibc.write(STDOUT_FILENO, escape.utf8Start, length)
    }
}
