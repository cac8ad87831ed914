import AlcedoPixels

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

extension Gravity {
    /// Where a gravity is used.
    enum Use {
        case cropping
        /// Without smart.
        case `extension`
        /// Without smart and focus point; with 1 px or more of the watermark visible.
        case watermark
    }

    /// Reads `type:x:y` from the first arguments on.
    init(_ option: OptionArguments, allows use: Use = .cropping) throws(URLFailure) {
        try option.check(most: 3)
        let name = try option.text(0)
        guard let anchor = Anchor(rawValue: name) else {
            throw option.failure("“\(name)” is not a gravity")
        }
        switch anchor {
        case .smart:
            guard use == .cropping else { throw option.failure("sm is no place for this option") }
            try option.check(most: 1)
            self.init(.smart)
        case .focusPoint:
            guard use != .watermark else { throw option.failure("fp is no place for this option") }
            self.init(
                .focusPoint, x: try option.number(1, from: 0, to: 1),
                y: try option.number(2, from: 0, to: 1))
        default:
            let x = try option.has(1) ? option.number(1) : 0
            self.init(anchor, x: x, y: try option.has(2) ? option.number(2) : 0)
        }
    }
}

extension Gravity {
    /// Where a box lies in another one, both in pixels.
    ///
    /// `dpr` scales offsets from 1 on. A box that `hangsOver` may leave the outer one, but for one pixel. Crops come before
    /// the turn: the halves of pixels are rounded in the stored image, whose axes may be reversed.
    func place(
        _ inner: PixelSize, in outer: PixelSize, dpr: Double, hangsOver: Bool = false,
        isReversed: (across: Bool, down: Bool) = (false, false)
    ) -> PixelOffset {
        let isWest = [.west, .northWest, .southWest].contains(anchor)
        let isEast = [.east, .northEast, .southEast].contains(anchor)
        let isNorth = [.north, .northWest, .northEast].contains(anchor)
        let isSouth = [.south, .southWest, .southEast].contains(anchor)
        let horizontal = Axis(
            outer: outer.width, inner: inner.width, hangsOver: hangsOver, isReversed: isReversed.across)
        let vertical = Axis(
            outer: outer.height, inner: inner.height, hangsOver: hangsOver, isReversed: isReversed.down)
        switch anchor {
        case .focusPoint: return PixelOffset(x: horizontal.place(around: x), y: vertical.place(around: y))
        case .smart: return PixelOffset(x: horizontal.place(0, dpr), y: vertical.place(0, dpr))
        default:
            return PixelOffset(
                x: horizontal.place(x, dpr, isNear: isWest, isFar: isEast),
                y: vertical.place(y, dpr, isNear: isNorth, isFar: isSouth))
        }
    }

    /// One direction of a placement.
    private struct Axis {
        let outer: Int
        let inner: Int
        let hangsOver: Bool
        let isReversed: Bool

        func place(_ offset: Double, _ dpr: Double, isNear: Bool = false, isFar: Bool = false) -> Int {
            let pixels = abs(offset) >= 1 ? offset * dpr : Double(outer) * offset
            let shift = Rounding.halfEven(pixels)
            if isNear { return clamped(shift) }
            if isFar { return clamped(outer - inner - shift) }
            let centre = Rounding.halfEven(Double(outer - inner + 1) / 2)
            return clamped((isReversed ? outer - inner - centre : centre) + shift)
        }

        func place(around share: Double) -> Int {
            guard isReversed else { return clamped(Rounding.halfEven(Double(outer) * share) - inner / 2) }
            return clamped(outer - inner - Rounding.halfEven(Double(outer) * (1 - share)) + inner / 2)
        }

        private func clamped(_ position: Int) -> Int {
            let range = hangsOver ? (1 - inner)...max(outer - 1, 1 - inner) : 0...max(outer - inner, 0)
            return min(max(position, range.lowerBound), range.upperBound)
        }
    }
}
