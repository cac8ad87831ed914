/// Quantises the colours of an image.
///
/// Median cut by variance: the group with the largest variance is split at its mean until there are enough groups. Two
/// k-means iterations follow.
enum PaletteMaker {
    /// A palette of at most `limit` colours for a histogram.
    static func palette(for histogram: ColorHistogram, limit: Int) -> Palette {
        let entries = histogram.entries
        guard !entries.isEmpty else { return Palette([0xFF00_0000]) }
        var palette = Palette(means(of: entries, limit: limit).map(color))
        guard entries.count <= refinementLimit else { return palette }
        for _ in 0..<2 { palette = refined(palette, for: entries) }
        return palette
    }

    /// With more colours, the k-means iterations would take longer than all other steps.
    static let refinementLimit = 40_000

    /// The means of at most `limit` groups, of one at least.
    static func means(of entries: [ColorHistogram.Entry], limit: Int) -> [SIMD4<Float>] {
        var entries = entries
        var boxes = [Box(entries, 0..<entries.count)]
        while boxes.count < limit {
            guard let index = boxes.indices.max(by: { boxes[$0].cost < boxes[$1].cost }),
                boxes[index].cost > 0, let cut = boxes[index].cut(&entries)
            else { break }
            let range = boxes[index].range
            boxes[index] = Box(entries, range.lowerBound..<cut)
            boxes.append(Box(entries, cut..<range.upperBound))
        }
        return boxes.map(\.mean)
    }

    private static func refined(_ palette: Palette, for entries: [ColorHistogram.Entry]) -> Palette {
        var sums = [SIMD4<Float>](repeating: .zero, count: palette.colors.count)
        var weights = [Float](repeating: 0, count: palette.colors.count)
        for entry in entries {
            let color = entry.mean.rounded(.toNearestOrAwayFromZero)
            let paletteIndex = palette.nearest(red: color[0], green: color[1], blue: color[2])
            sums[paletteIndex] += entry.mean * entry.weight
            weights[paletteIndex] += entry.weight
        }
        return Palette(
            palette.colors.indices.map {
                weights[$0] > 0 ? color(sums[$0] / weights[$0]) : palette.colors[$0]
            }
        )
    }

    private static func color(_ mean: SIMD4<Float>) -> UInt32 {
        let bytes = SIMD4<UInt32>(mean, rounding: .toNearestOrAwayFromZero)
        return 0xFF00_0000 | min(bytes[0], 255) << 16 | min(bytes[1], 255) << 8 | min(bytes[2], 255)
    }

    /// A group of adjacent entries.
    private struct Box {
        let range: Range<Int>
        let mean: SIMD4<Float>
        /// The sum of squared distances from the mean, along the axis with the largest sum.
        let cost: Float
        private let axis: Int

        init(_ entries: [ColorHistogram.Entry], _ range: Range<Int>) {
            self.range = range
            var weight: Float = 0
            var sum = SIMD4<Float>.zero
            for index in range {
                weight += entries[index].weight
                sum += entries[index].mean * entries[index].weight
            }
            mean = sum / weight
            var spread = SIMD4<Float>.zero
            for index in range {
                let delta = entries[index].mean - mean
                spread += delta * delta * entries[index].weight
            }
            axis = (1..<4).reduce(0) { spread[$1] > spread[$0] ? $1 : $0 }
            cost = range.count > 1 ? spread[axis] : 0
        }

        /// Partitions the entries at the mean; nil if one part is empty.
        func cut(_ entries: inout [ColorHistogram.Entry]) -> Int? {
            let border = mean[axis]
            let middle = entries[range].partition { $0.mean[axis] >= border }
            return middle > range.lowerBound && middle < range.upperBound ? middle : nil
        }
    }
}
