#if JP2
    import AlcedoCodecs
    import AlcedoPixels
    import COpenJPEG

    /// Converts OpenJPEG's samples to pixels.
    struct JP2Pixels {
        /// The samples of one channel, scaled to 8 bits.
        private struct Channel {
            let samples: UnsafePointer<Int32>
            let size: PixelSize
            let offset: Int
            let maximum: Int

            /// Nil without samples.
            init?(_ component: opj_image_comp_t) {
                guard let data = component.data, component.w > 0, component.h > 0,
                    1...31 ~= component.prec
                else { return nil }
                samples = UnsafePointer(data)
                size = PixelSize(width: Int(component.w), height: Int(component.h))
                offset = component.sgnd != 0 ? 1 << (component.prec - 1) : 0
                maximum = 1 << component.prec - 1
            }

            /// Writes a row of bytes, with the nearest sample if the channel is smaller than the picture.
            func read(_ row: Int, of picture: PixelSize, into bytes: inout [UInt8]) {
                let start = samples + min(row * size.height / picture.height, size.height - 1) * size.width
                let isWhole = size.width == picture.width
                for column in 0..<picture.width {
                    let sample = start[isWhole ? column : column * size.width / picture.width]
                    let value = min(max(Int(sample) + offset, 0), maximum)
                    bytes[column] = UInt8(maximum == 255 ? value : (value * 255 + maximum / 2) / maximum)
                }
            }
        }

        private let image: JP2Image
        private let size: PixelSize
        private let colors: [Channel]
        private let alpha: Channel?
        private let isPremultiplied: Bool
        private let isYCC: Bool
        private let transform: ColorTransform?

        init(_ image: JP2Image, profile: [UInt8]?) throws(CodecError) {
            let header = image.pointer.pointee
            guard let pointer = header.comps else { throw .corrupt(.jp2, reason: "it has no components") }
            let components = UnsafeBufferPointer(start: pointer, count: Int(header.numcomps))
            var channels: [Channel] = []
            for component in components {
                guard let channel = Channel(component) else {
                    throw .corrupt(.jp2, reason: "a component has no samples")
                }
                channels.append(channel)
            }
            // Without channel definitions, an even number of channels ends with alpha.
            let defined = components.firstIndex { $0.alpha == 1 || $0.alpha == 2 }
            let index = defined ?? (channels.count % 2 == 0 ? channels.count - 1 : nil)
            alpha = index.map { channels[$0] }
            isPremultiplied = defined.map { components[$0].alpha == 2 } ?? false
            let colors = channels.indices.filter { $0 != index && components[$0].alpha == 0 }
                .map { channels[$0] }
            guard let first = colors.first, colors.count == 1 || colors.count >= 3 else {
                throw .unsupported(.jp2, reason: "it has \(colors.count) colour channels")
            }
            self.colors = Array(colors.prefix(colors.count >= 3 ? 3 : 1))
            size = PixelSize(
                width: channels.map(\.size.width).max() ?? first.size.width,
                height: channels.map(\.size.height).max() ?? first.size.height)
            let isSubsampled = self.colors.contains { $0.size != first.size }
            let isRGB = header.color_space == OPJ_CLRSPC_SRGB
            isYCC =
                self.colors.count == 3
                && (header.color_space == OPJ_CLRSPC_SYCC || isSubsampled && !isRGB && profile == nil)
            let layout = self.colors.count == 3 ? ColorLayout.rgba : .grey
            transform = profile.flatMap { ColorTransform.toSRGB(from: $0, layout: layout) }
            self.image = image
        }

        func bitmap(_ options: DecodeOptions) throws(CodecError) -> Bitmap {
            let finish = RowConverter(
                transform, hasAlpha: alpha != nil, isPremultiplied: isPremultiplied, options: options)
            var pixels = try PixelBuilder(size: size, alpha: .opaque)
            pixels.alpha = pixels.withUnsafeMutableBytes { output in
                write(to: output)
                return finish(PixelRows(output, size))
            }
            return pixels.freeze()
        }

        /// Writes RGBA.
        private func write(to output: UnsafeMutableRawBufferPointer) {
            var planes = [[UInt8]](repeating: [UInt8](repeating: 255, count: size.width), count: 4)
            for row in 0..<size.height {
                for index in colors.indices { colors[index].read(row, of: size, into: &planes[index]) }
                alpha?.read(row, of: size, into: &planes[3])
                let (green, blue) = colors.count == 3 ? (planes[1], planes[2]) : (planes[0], planes[0])
                for column in 0..<size.width {
                    var (r, g, b) = (planes[0][column], green[column], blue[column])
                    if isYCC { (r, g, b) = Self.rgb(r, g, b) }
                    let pixel =
                        UInt32(planes[3][column]) << 24 | UInt32(b) << 16 | UInt32(g) << 8 | UInt32(r)
                    output.storeBytes(
                        of: pixel, toByteOffset: (row * size.width + column) * 4, as: UInt32.self)
                }
            }
        }

        /// Full-range YCbCr to RGB by ITU-R BT.601, as sYCC (IEC 61966-2-1, annex G) has it.
        private static func rgb(_ y: UInt8, _ cb: UInt8, _ cr: UInt8) -> (UInt8, UInt8, UInt8) {
            let (y, cb, cr) = (Double(y), Double(cb) - 128, Double(cr) - 128)
            func byte(_ value: Double) -> UInt8 { UInt8(min(max(value.rounded(), 0), 255)) }
            return (byte(y + 1.402 * cr), byte(y - 0.344136 * cb - 0.714136 * cr), byte(y + 1.772 * cb))
        }
    }
#endif
