extension ImageOrientation {
    /// How a turned picture is found in the stored one: the stored column is the turned row with `swaps`, and counts from
    /// the other end with `flipsX`; so the row.
    package struct Axes: Hashable, Sendable {
        package var swaps: Bool
        package var flipsX: Bool
        package var flipsY: Bool
    }

    package var axes: Axes {
        switch self {
        case .up: Axes(swaps: false, flipsX: false, flipsY: false)
        case .upMirrored: Axes(swaps: false, flipsX: true, flipsY: false)
        case .down: Axes(swaps: false, flipsX: true, flipsY: true)
        case .downMirrored: Axes(swaps: false, flipsX: false, flipsY: true)
        case .leftMirrored: Axes(swaps: true, flipsX: false, flipsY: false)
        case .right: Axes(swaps: true, flipsX: false, flipsY: true)
        case .rightMirrored: Axes(swaps: true, flipsX: true, flipsY: true)
        case .left: Axes(swaps: true, flipsX: true, flipsY: false)
        }
    }

    /// Both turns in one: this one, then `next`.
    ///
    /// `.right.followed(by: .right)` is `.down`: what a viewer's button does to how it shows a picture.
    public func followed(by next: ImageOrientation) -> ImageOrientation {
        let (first, second) = (axes, next.axes)
        let axes = Axes(
            swaps: first.swaps != second.swaps,
            flipsX: first.flipsX != (first.swaps ? second.flipsY : second.flipsX),
            flipsY: first.flipsY != (first.swaps ? second.flipsX : second.flipsY))
        // All eight are different.
        return Self.allCases.first { $0.axes == axes } ?? .up
    }
}
