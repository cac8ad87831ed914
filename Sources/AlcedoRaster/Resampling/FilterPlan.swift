import AlcedoLocks
import AlcedoPixels

/// The fixed-point plan of one resampling.
///
/// The kernels use 16-bit lanes, keep the upper 16 bits of each product, and subtract 128 from channels to centre them on
/// 0. The fraction has as many bits as the filter's overshoot allows.
struct FilterPlan {
    let rows: RowPlan
    let columns: ColumnPlan

    /// Approximate memory, in bytes.
    private var byteCount: Int { rows.byteCount + columns.byteCount }

    init(horizontal: LanczosTaps, vertical: LanczosTaps) {
        // The filter's extremes must fit an Int16, with a margin for rounding.
        let room = 32_000 / (128 * vertical.gain * horizontal.gain)
        var bits = 16
        while Double(1 << (CenterRow.fractionBits + bits - 16)) > room { bits -= 1 }
        for weight in horizontal.weights {
            // An Int16, with room for what `fixedPointWeights` adds to the largest weight to make the sum exact.
            while abs(weight) * Double(1 << bits) > 32_700 { bits -= 1 }
        }
        rows = RowPlan(vertical)
        columns = ColumnPlan(
            horizontal, weightBits: bits, fractionBits: CenterRow.fractionBits + bits - 16)
    }
}

// MARK: - Cache

extension FilterPlan {
    /// Everything that a plan depends on.
    struct Key: Equatable {
        var source: PixelSize
        var extent: SIMD2<Double>
        var part: PixelRect
        var target: PixelSize
    }

    /// The most recently used plans, in LRU order; at most 8 plans and 1 MiB.
    ///
    /// A list of images has few sizes.
    final class Cache: Sendable {
        static let shared = Cache()

        private static let limit = (count: 8, byteCount: 1 << 20)

        private let cached = Lock<[(key: Key, plan: FilterPlan)]>([])

        /// The cached plan for `key`, or the result of `make`.
        func plan(for key: Key, make: () -> FilterPlan) -> FilterPlan {
            let hit = cached.withLock { cached in
                cached.lastIndex { $0.key == key }.map { index in
                    cached.append(cached.remove(at: index))
                    return cached[cached.count - 1].plan
                }
            }
            if let hit { return hit }
            let plan = make()
            guard plan.byteCount <= Self.limit.byteCount else { return plan }
            cached.withLock { cached in
                // Another thread may have stored it meanwhile.
                cached.removeAll { $0.key == key }
                cached.append((key, plan))
                var byteCount = cached.reduce(0) { $0 + $1.plan.byteCount }
                while cached.count > Self.limit.count || byteCount > Self.limit.byteCount {
                    byteCount -= cached.removeFirst().plan.byteCount
                }
            }
            return plan
        }
    }
}
