import AlcedoPixels
import CDeflate

/// Encodes a PNG with one call of libdeflate.
///
/// libdeflate takes less than half of zlib's time for photographs, but needs all input at once.
enum PNGDeflater {
    /// The most bytes of rows; the compressed rows and the file may each take as many again.
    private static let byteLimit = 64 << 20

    /// For photographs, higher levels take longer and make larger files.
    private static let level: Int32 = 1

    /// Indices are a fraction of the bytes: on screenshots and diagrams files are 7 % smaller than those of level 1, in
    /// a tenth more time.
    private static let packedLevel: Int32 = 5

    /// How long it may take.
    enum Effort {
        case fast

        /// About twice as long. Photographs and screenshots have 7 to 16 % fewer bytes: no more than with zlib's level 6
        /// and all filters, in a third of the time of that.
        case small
    }

    /// The most bytes of rows that get much effort: those of 5 megapixels.
    private static let smallLimit = 16 << 20

    /// How rows are filtered, and libdeflate's level.
    private struct Way {
        let filters: Filters
        let level: Int32
        var choosesColors = false

        /// Those to choose from for so many bytes of rows, the quickest first.
        ///
        /// Drawings are smallest unfiltered, and patterns with one filter. Smooth pictures are 2 to 4 % smaller at level
        /// 5 than at level 1, and another 2 to 4 % at level 7, which takes twice as long: too long for large ones. Noisy
        /// pictures, and many icons, are as small at level 1.
        static func all(for byteCount: Int, mayChooseColors: Bool) -> [Way] {
            let high: Int32 = byteCount <= 256 << 10 ? 7 : 5
            let ways = [
                Way(filters: .up, level: 1), Way(filters: .best, level: 1), Way(filters: .none, level: 7),
                Way(filters: .best, level: high),
            ]
            guard mayChooseColors else { return ways }
            return ways + [1, high].map { Way(filters: .best, level: $0, choosesColors: true) }
        }
    }

    /// The most bytes of rows that are compressed in all ways; of more, samples are.
    private static let trialLimit = 16 << 10

    /// The rows of a sample: a quarter of each 128, or of each half of a lower picture, but at least eight.
    ///
    /// Of drawings, whose rows repeat those above, 8 of 64 rows would say little.
    private static func sample(height: Int) -> (rows: Range<Int>, of: Int) {
        let spacing = min(max(height / 2, 32), 128, height)
        let count = min(max(spacing / 4, 8), spacing)
        let start = (spacing - count) / 2
        return (start..<start + count, spacing)
    }

    /// The signature, `IHDR`, `IEND` and what surrounds the data of `IDAT`.
    private static let frameBytes = 8 + 25 + 12 + 12

    /// Encodes `bitmap` in a layout that has room for its colours.
    ///
    /// - Returns: nil if it is too large, so that libspng encodes it, or if the file has `bound` bytes or more.
    /// - Throws: ``CodecError/outOfMemory(byteCount:)``.
    static func encode(
        _ bitmap: Bitmap, _ layout: PNGLayout, _ effort: Effort = .fast, below bound: Int = .max
    ) throws(CodecError) -> [UInt8]? {
        let most = bound - 1 - frameBytes - layout.chunkBytes
        guard most > 0, let body = try deflated(passes(of: bitmap, layout), most, effort) else {
            return nil
        }
        var output = PNGChunkWriter()
        output.reserve(body.count + frameBytes + layout.chunkBytes)
        output.add("IHDR", layout.header(width: bitmap.width, height: bitmap.height)[...])
        for chunk in layout.chunks { output.add(chunk.name, chunk.body[...]) }
        withExtendedLifetime(body) {
            output.add("IDAT", UnsafeRawBufferPointer(start: body.bytes, count: body.count))
        }
        output.add("IEND")
        return output.bytes
    }

    private final class Deflated {
        let bytes: UnsafeMutableRawPointer
        let count: Int

        init(bytes: UnsafeMutableRawPointer, count: Int) { (self.bytes, self.count) = (bytes, count) }

        deinit { PixelMemory.free(bytes) }
    }

    /// The filtered and compressed rows, at most `most` bytes.
    private static func deflated(
        _ passes: [PNGSourceRows], _ most: Int, _ effort: Effort
    ) throws(CodecError) -> Deflated? {
        let count = passes.reduce(0) { $0 + $1.filteredCount }
        guard count <= byteLimit else { return nil }
        // The last row is written 16 bytes at a time too.
        let rows = try PixelMemory.allocate(byteCount: count + 16)
        defer { PixelMemory.free(rows) }
        let input = UnsafeRawBufferPointer(start: rows, count: count)
        let isFiltered = passes[0].layout.isFiltered
        guard effort == .small, count <= smallLimit else {
            filter(passes, Way(filters: isFiltered ? .up : .none, level: 0), to: rows)
            return try deflated(input, isFiltered ? level : packedLevel, most)
        }
        guard isFiltered else {
            filter(passes, Way(filters: .none, level: 9), to: rows)
            return try deflated(input, 9, most)
        }
        let isSampled = count > trialLimit
        var (best, tried) = (Deflated?.none, 0)
        let ways = Way.all(for: count, mayChooseColors: passes[0].mayChooseColors)
        var way = ways[0]
        for candidate in ways {
            tried = filter(passes, candidate, to: rows, onlySamples: isSampled)
            let body = try deflated(UnsafeRawBufferPointer(rebasing: input[..<tried]), candidate.level, .max)
            // Of a sample, a slower way has to be worth it.
            guard let body, body.count + (isSampled ? body.count / 100 : 0) < best?.count ?? .max else {
                continue
            }
            (best, way) = (body, candidate)
        }
        guard isSampled else { return best.flatMap { $0.count <= most ? $0 : nil } }
        // What is a tenth above the limit by the sample will not get below it.
        if let best, best.count * (count / tried) * 9 / 10 > most { return nil }
        filter(passes, way, to: rows)
        return try deflated(input, way.level, most)
    }

    private static func deflated(
        _ rows: UnsafeRawBufferPointer, _ level: Int32, _ most: Int
    ) throws(CodecError) -> Deflated? {
        guard let compressor = libdeflate_alloc_compressor(level) else { return nil }
        defer { libdeflate_free_compressor(compressor) }
        // libdeflate needs a few bytes more than it writes.
        let capacity = min(most, Int.max - 64) + 64
        let bound = min(capacity, libdeflate_zlib_compress_bound(compressor, rows.count))
        let bytes = try PixelMemory.allocate(byteCount: bound)
        let written = libdeflate_zlib_compress(compressor, rows.baseAddress, rows.count, bytes, bound)
        let result = Deflated(bytes: bytes, count: written)
        return (1...most).contains(written) ? result : nil
    }

    /// How all rows are filtered.
    private enum Filters {
        case none
        /// All by the filter Up.
        case up
        /// Each by the filter that seems best.
        case best
    }

    /// The bitmap, or the pixels of each pass that has some.
    private static func passes(
        of bitmap: Bitmap, _ layout: PNGLayout
    ) throws(CodecError) -> [PNGSourceRows] {
        guard layout.isInterlaced else { return [PNGSourceRows(bitmap, layout)] }
        return try Adam7.passes(of: bitmap).map { PNGSourceRows($0, layout) }
    }

    /// Writes all rows of all passes, or samples of them, with their filter bytes.
    ///
    /// - Returns: How many bytes that are.
    @discardableResult
    private static func filter(
        _ passes: [PNGSourceRows], _ way: Way, to rows: UnsafeMutableRawPointer,
        onlySamples: Bool = false
    ) -> Int {
        var target = rows
        for pass in passes { target = filter(pass, way, to: target, onlySamples) }
        return target - rows
    }

    /// - Returns: The end of what was written.
    private static func filter(
        _ source: PNGSourceRows, _ way: Way, to rows: UnsafeMutableRawPointer, _ onlySamples: Bool
    ) -> UnsafeMutableRawPointer {
        var (source, target) = (source, rows)
        let (length, height) = (source.bytesPerRow, source.bitmap.height)
        let stride = PNGRowFilter.margin + source.capacity
        let memory = UnsafeMutableRawPointer.allocate(byteCount: 2 * stride, alignment: 16)
        defer { memory.deallocate() }
        memory.initializeMemory(as: UInt8.self, repeating: 0, count: 2 * stride)
        var (above, row) = (memory + PNGRowFilter.margin, memory + PNGRowFilter.margin + stride)
        let best = PNGRowFilter(length: length, pixel: source.layout.channels)
        let wanted = onlySamples ? sample(height: height) : (rows: 0..<height, of: height)
        for y in 0..<height {
            let place = y % wanted.of
            // The row above the first of a sample is needed too.
            guard place + 1 >= wanted.rows.lowerBound, place < wanted.rows.upperBound else { continue }
            source.write(row: y, to: row)
            if way.choosesColors { source.chooseColors(row, above: above) }
            defer { swap(&above, &row) }
            guard place >= wanted.rows.lowerBound else { continue }
            switch way.filters {
            case .none:
                target.storeBytes(of: PNGFilter.none.rawValue, as: UInt8.self)
                (target + 1).copyMemory(from: row, byteCount: length)
            case .up:
                target.storeBytes(of: PNGFilter.up.rawValue, as: UInt8.self)
                for offset in Swift.stride(from: 0, to: length, by: 16) {
                    let difference =
                        row.load(fromByteOffset: offset, as: SIMD16<UInt8>.self)
                        &- above.load(fromByteOffset: offset, as: SIMD16<UInt8>.self)
                    target.storeBytes(of: difference, toByteOffset: offset + 1, as: SIMD16<UInt8>.self)
                }
            case .best: best.write(row, above: above, to: target)
            }
            target += length + 1
        }
        return target
    }
}
