import Glibc

/// What a terminal can draw, by its own answer.
package struct TerminalGraphics: Equatable, Sendable {
    /// A way to draw pictures.
    package enum Form: Sendable {
        /// Kitty's graphics protocol (https://sw.kovidgoyal.net/kitty/graphics-protocol/).
        case kitty
        /// DEC's sixels (VT330/VT340 Programmer Reference Manual, chapter 14).
        case sixel
        /// Characters in 24-bit colour.
        case blocks
    }

    package private(set) var form = Form.blocks

    /// The size of a character cell in pixels: as answered, as the terminal's driver says, or else the VT340's.
    package private(set) var cell = Terminal.cell ?? (width: 10, height: 20)

    package static func == (one: Self, other: Self) -> Bool {
        one.form == other.form && one.cell == other.cell
    }

    /// Characters, for all that is no terminal.
    package init() {}

    /// Asks whether kitty's graphics are known, for the size of a cell, and for the device attributes, which every
    /// terminal answers, and in order: after them, no other answer comes.
    static let question = "\u{1B}_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\u{1B}\\" + "\u{1B}[16t" + "\u{1B}[c"

    /// Reads the answers; nil while the device attributes are missing.
    init?(answers: String) {
        guard let attributes = answers.firstMatch(of: /\u{1B}\[\?([0-9;]*)c/) else { return nil }
        if answers.contains("\u{1B}_Gi=31;OK") {
            form = .kitty
        } else if attributes.1.split(separator: ";").dropFirst().contains("4") {
            form = .sixel
        }
        if let size = answers.firstMatch(of: /\u{1B}\[6;([0-9]{1,3});([0-9]{1,3})t/),
            let height = Int(size.1), let width = Int(size.2), width > 0, height > 0
        {
            cell = (width, height)
        }
    }

    /// Asks the terminal at standard output, and waits for its answer for a second at most.
    ///
    /// Characters if standard output is no terminal, or one of another job.
    package static func ask() -> TerminalGraphics {
        let terminal = STDOUT_FILENO
        let group = tcgetpgrp(terminal)
        let kind = getenv("TERM").map { String(cString: $0) }
        // Linux's console shows questions that it does not know.
        guard isatty(terminal) == 1, group == -1 || group == getpgrp(), kind != "dumb", kind != "linux",
            let saved = Self.readKeys(of: terminal)
        else { return TerminalGraphics() }
        // Discards a late answer, which the shell would take for typed text.
        defer { _ = withUnsafePointer(to: saved) { tcsetattr(terminal, TCSAFLUSH, $0) } }
        Terminal.print(question)
        var answers = ""
        let deadline = ContinuousClock.now.advanced(by: .seconds(1))
        while answers.utf8.count < 4096 {
            // What has come is read, however late: the program may have had to wait for a processor.
            let left = max(0, (deadline - .now) / .milliseconds(1))
            var state = pollfd(fd: terminal, events: Int16(POLLIN), revents: 0)
            guard poll(&state, 1, Int32(left.rounded(.up))) > 0 else { break }
            var bytes = [UInt8](repeating: 0, count: 256)
            let count = read(terminal, &bytes, bytes.count)
            guard count > 0 else { break }
            answers += String(decoding: bytes[..<count], as: UTF8.self)
            if let graphics = TerminalGraphics(answers: answers) { return graphics }
        }
        return TerminalGraphics()
    }

    /// Reads keys one by one, unseen; returns the settings before, nil if the terminal does not allow it.
    private static func readKeys(of terminal: Int32) -> termios? {
        var saved = termios()
        guard tcgetattr(terminal, &saved) == 0 else { return nil }
        var settings = saved
        settings.c_lflag &= ~tcflag_t(ICANON | ECHO)
        return tcsetattr(terminal, TCSANOW, &settings) == 0 ? saved : nil
    }
}
