/// What users do in the window: by a button, by the menu, or by keys.
enum Command: String, CaseIterable {
    case open
    case save
    case copy
    case paste
    case previous
    case next
    case reload
    case turnLeft
    case turnRight
    case zoomIn
    case zoomOut
    case zoomToFit
    case zoomToPixels
    case fullscreen
    case leave
    case close

    /// The groups of the menu.
    static let menu: [[Command]] = [
        [.open, .save, .reload], [.copy, .paste], [.zoomIn, .zoomOut, .zoomToFit, .zoomToPixels],
        [.fullscreen, .close],
    ]

    var title: String {
        switch self {
        case .open: "Open…"
        case .save: "Save As…"
        case .copy: "Copy"
        case .paste: "Paste"
        case .previous: "Previous Picture"
        case .next: "Next Picture"
        case .reload: "Load Again"
        case .turnLeft: "Turn Left"
        case .turnRight: "Turn Right"
        case .zoomIn: "Zoom In"
        case .zoomOut: "Zoom Out"
        case .zoomToFit: "All of the Picture"
        case .zoomToPixels: "Full Size"
        case .fullscreen: "Fullscreen"
        case .leave: "Leave"
        case .close: "Close"
        }
    }

    /// As `gtk_shortcut_trigger_parse_string` reads it; the menu shows the first.
    ///
    /// The view has more keys: +, −, 0, 1 and, while
    /// part of the picture is visible, the arrows.
    var keys: String {
        switch self {
        case .open: "<Control>o"
        case .save: "<Control>s|<Control><Shift>s"
        case .copy: "<Control>c"
        case .paste: "<Control>v"
        case .previous: "Page_Up|<Alt>Left|BackSpace"
        case .next: "Page_Down|<Alt>Right"
        case .reload: "F5"
        case .turnLeft: "<Control>Left|l"
        case .turnRight: "<Control>Right|r"
        case .zoomIn: "<Control>plus|<Control>equal|<Control>KP_Add"
        case .zoomOut: "<Control>minus|<Control>KP_Subtract"
        case .zoomToFit: "<Control>0|<Control>KP_0"
        case .zoomToPixels: "<Control>1|<Control>KP_1"
        case .fullscreen: "F11|f"
        case .leave: "Escape"
        case .close: "<Control>w|<Control>q"
        }
    }

    /// The icon of those with a button.
    var icon: String {
        switch self {
        case .open: "document-open-symbolic"
        case .previous: "go-previous-symbolic"
        case .next: "go-next-symbolic"
        case .turnLeft: "object-rotate-left-symbolic"
        case .turnRight: "object-rotate-right-symbolic"
        case .fullscreen: "view-fullscreen-symbolic"
        default: ""
        }
    }

    var needsPicture: Bool {
        switch self {
        case .save, .copy, .turnLeft, .turnRight, .zoomIn, .zoomOut, .zoomToFit, .zoomToPixels: true
        default: false
        }
    }
}
