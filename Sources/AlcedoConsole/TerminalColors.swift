import Glibc

/// The colours that a terminal can give to characters.
package enum TerminalColors: String, Sendable {
    /// 24 bits.
    case full
    /// The 16 colours of ``basic``, a cube of 216, and 24 greys.
    case indexed = "256"
    case basic = "16"

    /// What the environment says of the terminal; ``full`` if standard output is none.
    package static func detect() -> TerminalColors {
        guard Terminal.showsOutput else { return .full }
        return TerminalColors(environment: { name in getenv(name).map { String(cString: $0) } })
    }

    /// Whether the terminal is GNU screen's, which sets `STY`.
    static var isInScreen: Bool { isInScreen { name in getenv(name).map { String(cString: $0) } } }

    private static func isInScreen(_ environment: (String) -> String?) -> Bool {
        guard environment("STY") != nil, let kind = environment("TERM") else { return false }
        return kind.hasPrefix("screen")
    }

    /// Reads `TERM`, `COLORTERM`, `TMUX` and `STY`.
    init(environment: (String) -> String?) {
        let kind = environment("TERM") ?? ""
        // Screen ignores 24-bit colours, and converts 256 to what the terminal around it has. tmux converts all.
        if Self.isInScreen(environment) {
            self = .indexed
        } else if ["truecolor", "24bit"].contains(environment("COLORTERM")) || environment("TMUX") != nil
            || ["direct", "kitty", "ghostty", "alacritty", "foot", "wezterm"].contains(where: kind.contains)
        {
            self = .full
        } else if kind.contains("256color") || ["xterm", "screen", "tmux"].contains(where: kind.hasPrefix) {
            self = .indexed
        } else {
            self = .basic
        }
    }

    /// The parameters of the escape sequence for a foreground or background colour (ECMA-48, SGR).
    package func code(red: UInt8, green: UInt8, blue: UInt8, isBackground: Bool) -> String {
        let kind = isBackground ? 48 : 38
        let color = (Int(red), Int(green), Int(blue))
        switch self {
        case .full: return "\(kind);2;\(red);\(green);\(blue)"
        case .indexed: return "\(kind);5;\(Self.indexedColor(color))"
        case .basic:
            let index = Self.basicColors.indices.min { one, other in
                Self.distance(color, Self.basicColors[one]) < Self.distance(color, Self.basicColors[other])
            }
            let number = index ?? 0
            return "\((number < 8 ? 30 + number : 82 + number) + (isBackground ? 10 : 0))"
        }
    }

    /// The nearest of the cube's colours and the greys; the first 16 differ between terminals.
    private static func indexedColor(_ color: (Int, Int, Int)) -> Int {
        // The cube's levels are 0, 95, 135, 175, 215 and 255, the greys 8, 18 … 238.
        func step(_ value: Int) -> Int { value < 48 ? 0 : value < 115 ? 1 : (value - 35) / 40 }
        func level(_ step: Int) -> Int { step == 0 ? 0 : 55 + 40 * step }
        let steps = (step(color.0), step(color.1), step(color.2))
        let cube = (level(steps.0), level(steps.1), level(steps.2))
        let grey = max(0, min(23, ((color.0 + color.1 + color.2) / 3 - 3) / 10))
        let greyLevel = 8 + 10 * grey
        return distance(color, (greyLevel, greyLevel, greyLevel)) < distance(color, cube)
            ? 232 + grey : 16 + 36 * steps.0 + 6 * steps.1 + steps.2
    }

    /// Xterm's.
    private static let basicColors = [
        (0, 0, 0), (205, 0, 0), (0, 205, 0), (205, 205, 0), (0, 0, 238), (205, 0, 205), (0, 205, 205),
        (229, 229, 229), (127, 127, 127), (255, 0, 0), (0, 255, 0), (255, 255, 0), (92, 92, 255),
        (255, 0, 255),
        (0, 255, 255), (255, 255, 255),
    ]

    private static func distance(_ one: (Int, Int, Int), _ other: (Int, Int, Int)) -> Int {
        let (red, green, blue) = (one.0 - other.0, one.1 - other.1, one.2 - other.2)
        return red * red + green * green + blue * blue
    }
}
