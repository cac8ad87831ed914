/// The part of an image that counts.
package struct Gravity: Sendable, Equatable {
    package var anchor = Anchor.center
    /// From 1 in pixels, below 1 a share of the side, towards the middle; the focus point for
    /// ``Anchor/focusPoint``, 0–1.
    package var x = 0.0
    package var y = 0.0

    package init(_ anchor: Anchor = .center, x: Double = 0, y: Double = 0) {
        self.anchor = anchor
        self.x = x
        self.y = y
    }

    /// Whether the position depends on the pixels.
    package var isSmart: Bool { anchor == .smart }

    /// An edge, a corner or a rule; raw values are those of URLs.
    package enum Anchor: String, Sendable, CaseIterable {
        case center = "ce"
        case north = "no"
        case south = "so"
        case east = "ea"
        case west = "we"
        case northEast = "noea"
        case northWest = "nowe"
        case southEast = "soea"
        case southWest = "sowe"
        case smart = "sm"
        case focusPoint = "fp"
    }
}
