import AlcedoPixels

extension Bitmap {
    /// A canvas of `size` with this bitmap at `origin`; what lies outside of it is left out.
    ///
    /// The rest has `background`, or is transparent for nil.
    func placed(at origin: PixelOffset, in size: PixelSize, background: RGBColor?) throws(CodecError)
        -> Bitmap
    {
        precondition(alpha != .straight, "only premultiplied and opaque bitmaps can be placed")
        if size == self.size, origin.x == 0, origin.y == 0 { return self }
        let isOpaque = alpha == .opaque && background != nil
        guard isDeep else {
            return try placed(at: origin, in: size, fill: background?.pixel ?? 0, isOpaque: isOpaque)
        }
        guard let fill = deepFill(background) else {
            return try standard().placed(at: origin, in: size, background: background)
        }
        return try placed(at: origin, in: size, fill: fill, isOpaque: isOpaque)
    }

    /// With `fill`, a pixel of this bitmap, around it.
    private func placed<Pixel: BitwiseCopyable>(
        at origin: PixelOffset, in size: PixelSize, fill: Pixel, isOpaque: Bool
    ) throws(CodecError) -> Bitmap {
        var result = try PixelBuilder(size: size, alpha: isOpaque ? .opaque : .premultiplied, deep: deep)
        let columns = max(0, origin.x)..<max(0, min(size.width, origin.x + width), origin.x)
        let rows = max(0, origin.y)..<max(0, min(size.height, origin.y + height), origin.y)
        result.withUnsafeMutableBytes { output in
            let target = output.bindMemory(to: Pixel.self)
            target.update(repeating: fill)
            let pixels = storage.bindMemory(to: Pixel.self)
            guard let base = target.baseAddress, let source = pixels.baseAddress else { return }
            for y in rows where !columns.isEmpty {
                (base + y * size.width + columns.lowerBound).update(
                    from: source + (y - origin.y) * width + columns.lowerBound - origin.x,
                    count: columns.count)
            }
        }
        return result.freeze()
    }

    /// This bitmap with another one over it at `origin`, multiplied by `opacity` from 0 to 255.
    consuming func drawn(under top: Bitmap, at origin: PixelOffset, opacity: Int) throws(CodecError)
        -> Bitmap
    {
        if isDeep { return try drawnDeep(under: top, at: origin, opacity: opacity) }
        let size = self.size
        let columns = max(0, origin.x)..<max(0, min(size.width, origin.x + top.width), origin.x)
        let rows = max(0, origin.y)..<max(0, min(size.height, origin.y + top.height), origin.y)
        guard !columns.isEmpty, !rows.isEmpty, opacity > 0 else { return self }
        let (base, width) = (top.unsafeBaseAddress, top.width)
        let result = try editing(alpha: alpha) { pixels in
            for y in rows {
                for x in columns {
                    let source = base + ((y - origin.y) * width + x - origin.x) * 4
                    let target = y * size.width * 4 + x * 4
                    let alpha = Self.product(Int(source.load(fromByteOffset: 3, as: UInt8.self)), opacity)
                    guard alpha > 0 else { continue }
                    for channel in 0..<4 {
                        let over = Self.product(
                            Int(source.load(fromByteOffset: channel, as: UInt8.self)), opacity)
                        let under = Self.product(Int(pixels[target + channel]), 255 - alpha)
                        pixels[target + channel] = UInt8(min(255, over + under))
                    }
                }
            }
        }
        withExtendedLifetime(top) {}
        return result
    }

    /// The product of two shares of 255, rounded.
    private static func product(_ a: Int, _ b: Int) -> Int { (a * b + 127) / 255 }
}

extension RGBColor {
    /// An opaque pixel: blue, green, red, alpha from the lowest address.
    var pixel: UInt32 {
        UInt32(littleEndian: 0xff00_0000 | UInt32(red) << 16 | UInt32(green) << 8 | UInt32(blue))
    }
}
