import AlcedoPixels
import CResampling
import Testing

@testable import AlcedoRaster

/// What every processor computes, with whatever instructions it has.
struct `Inner loops` {
    @Test(arguments: 1...41)
    func `the resizing filter's inner loops give the same bits with all instructions`(width: Int) throws {
        let source = try Bitmap.noise(width, 12, alpha: .premultiplied)
        for target in [1, 2, 3, 4, 5, 7, 16, 33, 60] {
            let plan = FilterPlan(
                horizontal: LanczosTaps(count: width, extent: Double(width) - 0.25, outputCount: target),
                vertical: LanczosTaps(count: 12, extent: 12, outputCount: 5))
            let plain = filtered(source, plan, width: target, loops: alcedo_plain_resampling)
            #expect(filtered(source, plan, width: target, loops: .best) == plain)
            #expect(Set(plain).count > 1)
        }
    }

    @Test(arguments: 4...41) func `the halving's inner loops give the same bits with all instructions`(
        width: Int
    ) throws {
        let source = try Bitmap.noise(width, 5, alpha: .premultiplied)
        let plain = halved(source, loops: alcedo_plain_resampling)
        #expect(halved(source, loops: .best) == plain)
        #expect(Set(plain).count > 1)
    }

    private func filtered(
        _ source: Bitmap,
        _ plan: FilterPlan,
        width: Int,
        loops: alcedo_resampling
    ) -> [UInt8] {
        let middle = CenterRow(width: source.width, quads: plan.columns.quads, loops: loops)
        var output = [UInt8](repeating: 0x5A, count: plan.rows.rows.count * width * 4 + 1)
        output.withUnsafeMutableBytes { bytes in
            guard let base = bytes.baseAddress else { return }
            plan.columns.withColumns { columns in
                for (y, row) in plan.rows.rows.enumerated() {
                    let sources = row.terms.map { term in
                        source.unsafeBaseAddress + (row.start + plan.rows.offsets[term]) * source.bytesPerRow
                    }
                    middle.fill(row, of: plan.rows, from: sources)
                    middle.write(to: base + y * width * 4, columns: &columns)
                }
            }
        }
        #expect(output.last == 0x5A)
        return output
    }

    private func halved(_ source: Bitmap, loops: alcedo_resampling) -> [UInt8] {
        let halver = Halver(source, loops: loops)
        var output: [UInt8] = []
        var row = [UInt8](repeating: 0, count: (halver.size.width + 7) * 4)
        for y in 0..<halver.size.height {
            row.withUnsafeMutableBytes { bytes in
                if let base = bytes.baseAddress { halver.write(row: y, to: base) }
            }
            output += row.prefix(halver.size.width * 4)
        }
        return output
    }
}

struct `Plans of the filter` {
    private let cache = FilterPlan.Cache()

    private func key(_ number: Int) -> FilterPlan.Key {
        FilterPlan.Key(
            source: PixelSize(width: 9000 + number, height: 3), extent: [9000, 3],
            part: PixelRect(x: 0, y: 0, width: 9000, height: 3),
            target: PixelSize(width: 2, height: 2))
    }

    private func plan(outputs: Int = 2) -> FilterPlan {
        let taps = LanczosTaps(count: 3, extent: 3, outputCount: outputs)
        return FilterPlan(horizontal: taps, vertical: taps)
    }

    /// Whether the cache had no plan for pictures of this size; it has one now.
    private func isMade(_ number: Int, outputs: Int = 2) -> Bool {
        var isMade = false
        _ = cache.plan(for: key(number)) {
            isMade = true
            return plan(outputs: outputs)
        }
        return isMade
    }

    @Test func `plans of the resizing filter are created once for pictures of one size`() {
        #expect((0..<3).map { _ in isMade(1) } == [true, false, false])
    }

    @Test func `plans of the resizing filter are evicted, the one used longest ago first`() {
        for number in 0..<8 { #expect(isMade(number)) }
        #expect(!isMade(0))
        #expect(isMade(8))
        #expect([0, 2, 3, 4, 5, 6, 7, 8].map { isMade($0) }.allSatisfy { !$0 })
        #expect(isMade(1))
    }

    @Test func `plans of the resizing filter for large pictures are not kept`() {
        for _ in 0..<2 { #expect(isMade(30, outputs: 30_000)) }
    }
}
