/// Filters a row for small files: each with the filter whose differences are the smallest (PNG, 12.7).
struct PNGRowFilter {
    private typealias Bytes = SIMD16<UInt8>
    private typealias Sums = SIMD16<UInt32>

    /// Bytes in front of a row, all 0: the pixel to the left of the first one.
    static let margin = 16

    /// Bytes of a row.
    let length: Int

    /// Bytes of a pixel.
    let pixel: Int

    /// Writes the filter byte and the filtered row, and up to 15 bytes after it.
    ///
    /// `row` and `above` have ``margin`` bytes in front, and room for a multiple of 16 bytes.
    func write(_ row: UnsafeRawPointer, above: UnsafeRawPointer, to target: UnsafeMutableRawPointer) {
        let filter = best(row, above)
        target.storeBytes(of: filter.rawValue, as: UInt8.self)
        for offset in stride(from: 0, to: length, by: 16) {
            let place = Place(row + offset, above + offset, pixel)
            target.storeBytes(of: place.difference(by: filter), toByteOffset: offset + 1, as: Bytes.self)
        }
    }

    /// The filter with the smallest sum of differences, taken as signed.
    private func best(_ row: UnsafeRawPointer, _ above: UnsafeRawPointer) -> PNGFilter {
        var (none, sub, up, average, paeth) = (Sums.zero, Sums.zero, Sums.zero, Sums.zero, Sums.zero)
        for offset in stride(from: 0, to: length, by: 16) {
            let place = Place(row + offset, above + offset, pixel)
            none &+= Self.magnitude(place.difference(by: .none))
            sub &+= Self.magnitude(place.difference(by: .sub))
            up &+= Self.magnitude(place.difference(by: .up))
            average &+= Self.magnitude(place.difference(by: .average))
            paeth &+= Self.magnitude(place.difference(by: .paeth))
        }
        var (best, least) = (PNGFilter.none, none.wrappedSum())
        for (filter, sum) in [
            (PNGFilter.sub, sub), (.up, up), (.average, average), (.paeth, paeth),
        ] where sum.wrappedSum() < least {
            (best, least) = (filter, sum.wrappedSum())
        }
        return best
    }

    @inline(__always)
    private static func magnitude(_ differences: Bytes) -> Sums {
        Sums(truncatingIfNeeded: pointwiseMin(differences, 0 &- differences))
    }

    /// Sixteen bytes of a row, and what is beside them.
    private struct Place {
        let here: Bytes
        let left: Bytes
        let above: Bytes
        let corner: Bytes

        @inline(__always)
        init(_ row: UnsafeRawPointer, _ above: UnsafeRawPointer, _ pixel: Int) {
            here = row.loadUnaligned(as: Bytes.self)
            left = (row - pixel).loadUnaligned(as: Bytes.self)
            self.above = above.loadUnaligned(as: Bytes.self)
            corner = (above - pixel).loadUnaligned(as: Bytes.self)
        }

        @inline(__always)
        func difference(by filter: PNGFilter) -> Bytes {
            switch filter {
            case .none: here
            case .sub: here &- left
            case .up: here &- above
            // The mean, rounded down.
            case .average: here &- ((left & above) &+ ((left ^ above) &>> 1))
            case .paeth: here &- nearest
            }
        }

        /// The Paeth predictor: the first of the three that is nearest to `left + above - corner`.
        private var nearest: Bytes {
            @inline(__always) get {
                let (a, b, c) = (lanes(left), lanes(above), lanes(corner))
                let (fromLeft, fromAbove) = (b &- c, a &- c)
                let (toLeft, toAbove) = (magnitude(fromLeft), magnitude(fromAbove))
                let toCorner = magnitude(fromLeft &+ fromAbove)
                // All ones where the difference is negative.
                let isNotLeft = ((toAbove &- toLeft) | (toCorner &- toLeft)) &>> 15
                let isCorner = (toCorner &- toAbove) &>> 15
                let other = b ^ ((b ^ c) & isCorner)
                return Bytes(truncatingIfNeeded: a ^ ((a ^ other) & isNotLeft))
            }
        }

        @inline(__always)
        private func lanes(_ bytes: Bytes) -> SIMD16<Int16> { SIMD16<Int16>(truncatingIfNeeded: bytes) }

        @inline(__always)
        private func magnitude(_ values: SIMD16<Int16>) -> SIMD16<Int16> {
            let sign = values &>> 15
            return (values ^ sign) &- sign
        }
    }
}
