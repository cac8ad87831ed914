import AlcedoLocks
import AlcedoPixels

/// The fixed-point formats of one resampling.
///
/// All lanes have 16 bits, only the upper half of a product is kept, and channels are centred on zero by subtracting 128. The
/// fraction has as many bits as the filter's overshoot allows.
struct FilterPlan {
    let rows: RowPlan
    let columns: ColumnPlan

    /// Bytes that it takes, about.
    private var byteCount: Int { rows.byteCount + columns.byteCount }

    init(horizontal: LanczosTaps, vertical: LanczosTaps) {
        // The filter's range must fit an Int16, with a margin for rounding.
        let room = 32_000 / (128 * vertical.gain * horizontal.gain)
        var bits = 16
        while Double(1 << (CenterRow.fractionBits + bits - 16)) > room { bits -= 1 }
        for weight in horizontal.weights {
            while abs(weight) * Double(1 << bits) > 32_700 { bits -= 1 }
        }
        rows = RowPlan(vertical)
        columns = ColumnPlan(horizontal, weightBits: bits, fractionBits: CenterRow.fractionBits + bits - 16)
    }
}

// MARK: - Plans that were used before

extension FilterPlan {
    /// The inputs of a plan.
    struct Key: Equatable {
        var source: PixelSize
        var extent: SIMD2<Double>
        var part: PixelRect
        var target: PixelSize
    }

    /// Those that were used last, the latest at the end, a megabyte at the most.
    ///
    /// A list of pictures has few sizes.
    private static let recent = Lock<[(key: Key, plan: FilterPlan)]>([])
    private static let recentLimit = (count: 8, byteCount: 1 << 20)

    /// The plan for `key`, which `make` makes if it is not among the last ones.
    static func plan(for key: Key, make: () -> FilterPlan) -> FilterPlan {
        let known = recent.withLock { recent in
            recent.lastIndex { $0.key == key }.map { index in
                recent.append(recent.remove(at: index))
                return recent[recent.count - 1].plan
            }
        }
        if let known { return known }
        let plan = make()
        guard plan.byteCount <= recentLimit.byteCount else { return plan }
        recent.withLock { recent in
            // Another thread may have made it too.
            recent.removeAll { $0.key == key }
            recent.append((key, plan))
            var byteCount = recent.reduce(0) { $0 + $1.plan.byteCount }
            while recent.count > recentLimit.count || byteCount > recentLimit.byteCount {
                byteCount -= recent.removeFirst().plan.byteCount
            }
        }
        return plan
    }
}
