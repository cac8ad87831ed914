import Glibc
import Synchronization

/// The keys of the terminal at standard output: read one by one and unseen for a while.
enum TerminalKeys {
    /// The address of the settings before, while keys are read, otherwise 0.
    ///
    /// They are never freed, as a signal handler may use them.
    private static let address = Atomic<UInt>(0)

    private static var saved: UnsafeMutablePointer<termios>? {
        UnsafeMutablePointer(bitPattern: address.load(ordering: .acquiring))
    }

    /// Reads keys one by one; false if the terminal does not allow it.
    static func start() -> Bool {
        // A stop in between would not restore the settings, or would save those of the shell.
        Terminal.holdingScreen {
            let settings = UnsafeMutablePointer<termios>.allocate(capacity: 1)
            settings.initialize(to: termios())
            guard tcgetattr(STDOUT_FILENO, settings) == 0 else { return false }
            address.store(UInt(bitPattern: settings), ordering: .releasing)
            if read() { return true }
            address.store(0, ordering: .releasing)
            return false
        }
    }

    /// Reads keys one by one again, after ``restore()``.
    @discardableResult
    static func read() -> Bool {
        guard let saved else { return false }
        var settings = saved.pointee
        settings.c_lflag &= ~tcflag_t(ICANON | ECHO)
        return tcsetattr(STDOUT_FILENO, TCSANOW, &settings) == 0
    }

    /// Restores the settings, if keys are read.
    static func restore() {
        guard let saved else { return }
        tcsetattr(STDOUT_FILENO, TCSANOW, saved)
    }

    /// Restores the settings, and discards a late response, which the shell would take for typed text.
    static func stop() {
        // A stop in between would have keys read one by one when it ends, and for ever.
        Terminal.holdingScreen {
            guard let saved else { return }
            tcsetattr(STDOUT_FILENO, TCSAFLUSH, saved)
            address.store(0, ordering: .releasing)
        }
    }
}
