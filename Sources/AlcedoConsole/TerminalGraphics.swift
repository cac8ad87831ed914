import Glibc

/// What a terminal can draw, as it reports itself.
package struct TerminalGraphics: Equatable, Sendable {
    package enum Form: Sendable {
        /// Kitty's graphics protocol (https://sw.kovidgoyal.net/kitty/graphics-protocol/).
        case kitty
        /// DEC's sixels (VT330/VT340 Programmer Reference Manual, chapter 14).
        case sixel
        /// Characters in ``TerminalColors``.
        case blocks
    }

    package private(set) var form = Form.blocks

    /// The size of a character cell in pixels: from the terminal's response, else from its driver, else the VT340's.
    package private(set) var cell = Terminal.cell ?? (width: 10, height: 20)

    package static func == (one: Self, other: Self) -> Bool {
        one.form == other.form && one.cell == other.cell
    }

    /// Characters, for all that is no terminal.
    package init() {}

    /// Queries kitty's graphics, the size of a cell, and the device attributes.
    ///
    /// Every terminal responds to the last, and in order: no other response follows it.
    static let query = "\u{1B}_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\u{1B}\\" + "\u{1B}[16t" + "\u{1B}[c"

    /// Reads the responses; nil while the device attributes are missing.
    init?(responses: String) {
        guard let attributes = responses.firstMatch(of: /\u{1B}\[\?([0-9;]*)c/) else { return nil }
        if responses.contains("\u{1B}_Gi=31;OK") {
            form = .kitty
        } else if attributes.1.split(separator: ";").dropFirst().contains("4") {
            form = .sixel
        }
        if let size = responses.firstMatch(of: /\u{1B}\[6;([0-9]{1,3});([0-9]{1,3})t/),
            let height = Int(size.1), let width = Int(size.2), width > 0, height > 0
        {
            cell = (width, height)
        }
    }

    /// Queries the terminal at standard output, and waits up to 1 s for its responses.
    ///
    /// Returns ``Form/blocks`` if standard output is no terminal, or one of another job.
    package static func detect() -> TerminalGraphics {
        let terminal = STDOUT_FILENO
        let group = tcgetpgrp(terminal)
        let kind = getenv("TERM").map { String(cString: $0) }
        // In the background, a change of the terminal's settings stops the process (SIGTTOU).
        // Linux's console prints queries that it does not know, and GNU screen shows kitty's in its status line.
        guard isatty(terminal) == 1, group == -1 || group == getpgrp(), kind != "dumb", kind != "linux",
            !TerminalColors.isInScreen,
            TerminalKeys.start()
        else { return TerminalGraphics() }
        defer { TerminalKeys.stop() }
        Terminal.print(query)
        var responses = ""
        let deadline = ContinuousClock.now.advanced(by: .seconds(1))
        while responses.utf8.count < 4096 {
            // Responses that have arrived are read after the deadline too: the program may have waited for a processor.
            let left = max(0, (deadline - .now) / .milliseconds(1))
            var state = pollfd(fd: terminal, events: Int16(POLLIN), revents: 0)
            guard poll(&state, 1, Int32(left.rounded(.up))) > 0 else { break }
            var bytes = [UInt8](repeating: 0, count: 256)
            let count = read(terminal, &bytes, bytes.count)
            guard count > 0 else { break }
            responses += String(decoding: bytes[..<count], as: UTF8.self)
            if let graphics = TerminalGraphics(responses: responses) { return graphics }
        }
        return TerminalGraphics()
    }
}
