import AlcedoPixels

extension Gravity {
    /// Where a box lies in another one, both in pixels.
    ///
    /// `dpr` scales offsets from 1 on. A box that `hangsOver` may leave the outer one, but for one pixel.
    func place(_ inner: PixelSize, in outer: PixelSize, dpr: Double, hangsOver: Bool = false)
        -> PixelOffset
    {
        let isWest = [.west, .northWest, .southWest].contains(anchor)
        let isEast = [.east, .northEast, .southEast].contains(anchor)
        let isNorth = [.north, .northWest, .northEast].contains(anchor)
        let isSouth = [.south, .southWest, .southEast].contains(anchor)
        let horizontal = Axis(outer: outer.width, inner: inner.width, hangsOver: hangsOver)
        let vertical = Axis(outer: outer.height, inner: inner.height, hangsOver: hangsOver)
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

        func place(_ offset: Double, _ dpr: Double, isNear: Bool = false, isFar: Bool = false) -> Int {
            let pixels = abs(offset) >= 1 ? offset * dpr : Double(outer) * offset
            let shift = Rounding.halfEven(pixels)
            if isNear { return clamped(shift) }
            if isFar { return clamped(outer - inner - shift) }
            return clamped(Rounding.halfEven(Double(outer - inner + 1) / 2) + shift)
        }

        func place(around share: Double) -> Int {
            clamped(Rounding.halfEven(Double(outer) * share) - inner / 2)
        }

        private func clamped(_ position: Int) -> Int {
            let range = hangsOver ? (1 - inner)...max(outer - 1, 1 - inner) : 0...max(outer - inner, 0)
            return min(max(position, range.lowerBound), range.upperBound)
        }
    }
}
