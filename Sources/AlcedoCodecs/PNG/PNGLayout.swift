/// How pixels are stored in a PNG that is written.
struct PNGLayout: Equatable {
    let color: PNGHeader.Color

    /// Bits of a sample.
    let depth: Int

    /// The colours of a palette as 0xAARRGGBB, straight, those with alpha first; else empty.
    let palette: [UInt32]

    /// Whether the pixels come in the seven passes of Adam7.
    var isInterlaced = false

    init(_ color: PNGHeader.Color, depth: Int = 8, palette: [UInt32] = []) {
        (self.color, self.depth, self.palette) = (color, depth, palette)
    }

    /// The colours with alpha.
    var translucent: ArraySlice<UInt32> { palette.prefix { $0 < 0xFF00_0000 } }

    /// Samples of a pixel.
    var channels: Int {
        switch color {
        case .grey, .palette: 1
        case .greyAlpha: 2
        case .rgb: 3
        case .rgba: 4
        }
    }

    /// Bytes of a row of `width` pixels, without its filter.
    func rowBytes(_ width: Int) -> Int { (width * channels * depth + 7) / 8 }

    /// Whether the filter Up makes rows smaller: differences of indices mean nothing, nor do those of packed samples.
    var isFiltered: Bool { color != .palette && depth >= 8 }

    /// The bodies of the chunks before the pixels.
    var chunks: [(name: StaticString, body: [UInt8])] {
        guard color == .palette else { return [] }
        let colors = palette.flatMap { color in
            [UInt8(color >> 16 & 0xFF), UInt8(color >> 8 & 0xFF), UInt8(color & 0xFF)]
        }
        let alphas = translucent.map { UInt8($0 >> 24) }
        var chunks: [(name: StaticString, body: [UInt8])] = [("PLTE", colors)]
        if !alphas.isEmpty { chunks.append(("tRNS", alphas)) }
        return chunks
    }

    var chunkBytes: Int { chunks.reduce(0) { $0 + 12 + $1.body.count } }

    /// The body of the `IHDR` chunk.
    func header(width: Int, height: Int) -> [UInt8] {
        var header: [UInt8] = []
        PNGChunkWriter.append(UInt32(clamping: width), to: &header)
        PNGChunkWriter.append(UInt32(clamping: height), to: &header)
        return header + [UInt8(depth), UInt8(color.rawValue), 0, 0, isInterlaced ? 1 : 0]
    }
}
