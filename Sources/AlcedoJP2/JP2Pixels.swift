#if JP2
    import AlcedoCodecs
    import AlcedoPixels
    import COpenJPEG

    /// Converts OpenJPEG's samples to pixels.
    struct JP2Pixels {
        private let image: JP2Image
        private let size: PixelSize
        private let channels: [JP2Channel]
        private let alpha: JP2Channel?
        private let isPremultiplied: Bool
        private let colors: JP2Colors
        private let transform: ColorTransform?
        /// For samples of more than 8 bits.
        private let deepTransform: DeepTransform?
        private let isDeep: Bool

        /// `profile` has the bytes of that in `colors`.
        init(_ image: JP2Image, _ colors: JP2Colors, profile: [UInt8]?) throws(CodecError) {
            let header = image.pointer.pointee
            guard let pointer = header.comps else { throw .corrupt(.jp2, reason: "it has no components") }
            let components = UnsafeBufferPointer(start: pointer, count: Int(header.numcomps))
            var all: [JP2Channel] = []
            for component in components {
                guard let channel = JP2Channel(component) else {
                    throw .corrupt(.jp2, reason: "a component has no samples")
                }
                all.append(channel)
            }
            let defined = components.firstIndex { $0.alpha == 1 || $0.alpha == 2 }
            let index = defined ?? (colors.hasAlpha(all.count) ? all.count - 1 : nil)
            alpha = index.map { all[$0] }
            isPremultiplied = defined.map { components[$0].alpha == 2 } ?? false
            let found = all.indices.filter { $0 != index && components[$0].alpha == 0 }.map { all[$0] }
            // A picture whose colours need three channels may have a single grey one.
            let wanted = colors.isCMYK ? 4 : found.count >= 3 ? 3 : 1
            guard let first = found.first, found.count == 1 || found.count >= 3, found.count >= wanted else {
                throw .unsupported(.jp2, reason: "it has \(found.count) colour channels")
            }
            channels = Array(found.prefix(wanted))
            size = PixelSize(
                width: all.map(\.size.width).max() ?? first.size.width,
                height: all.map(\.size.height).max() ?? first.size.height)
            let isSubsampled = channels.contains { $0.size != first.size }
            self.colors = Self.colors(colors, channels: wanted, isSubsampled: isSubsampled)
            let layout: ColorLayout = wanted == 4 ? .invertedCMYK : wanted == 3 ? .rgba : .grey
            let isDeep = all.contains { $0.depth > 8 }
            let source =
                if case .romm = self.colors {
                    ColorSource(.romm)
                } else {
                    profile.map { ColorSource(profile: $0, layout: layout) }
                }
            transform = isDeep ? nil : source?.transform
            deepTransform = isDeep ? source?.deepTransform : nil
            self.isDeep = isDeep
            self.image = image
        }

        /// The colour space for so many channels, if the file specifies none or another.
        private static func colors(_ colors: JP2Colors, channels: Int, isSubsampled: Bool) -> JP2Colors {
            switch (colors, channels) {
            case (.grey, 1), (_, 4), (.matrix, 3), (.lab, 3), (.romm, 3), (.profile, 3): colors
            // Unless the file specifies it, only chroma is stored at a smaller size.
            case (.unspecified, 3): isSubsampled ? .matrix(.full) : .rgb
            case (_, 1): .grey(isInverted: false)
            default: .rgb
            }
        }

        func bitmap(_ options: DecodeOptions) throws(CodecError) -> Bitmap {
            if isDeep { return try deepBitmap(options) }
            // CMYK is converted before.
            let finish = RowConverter(
                colors.isCMYK ? nil : transform, hasAlpha: alpha != nil, isPremultiplied: isPremultiplied,
                options: options)
            var pixels = try PixelBuilder(size: size, alpha: .opaque)
            pixels.alpha = pixels.withUnsafeMutableBytes { output in
                write(to: output)
                return finish(PixelRows(output, size))
            }
            return pixels.freeze()
        }

        private func deepBitmap(_ options: DecodeOptions) throws(CodecError) -> Bitmap {
            // CMYK is converted before.
            let convert = DeepConverter(
                colors.isCMYK ? nil : deepTransform,
                alpha: alpha == nil ? .none : isPremultiplied ? .premultiplied : .straight, options: options)
            let deadline = Deadline(options.limits)
            let step = Deadline.rows(of: size.width)
            var pixels = try PixelBuilder(size: size, alpha: .opaque)
            let rowPixels = DeepPixels.allocate(capacity: size.width)
            defer { rowPixels.deallocate() }
            let size = size
            let isOpaque = try pixels.withUnsafeMutableBytes { output throws(CodecError) in
                let target = output.bindMemory(to: UInt32.self)
                let converter = JP2RowColors<UInt16>(colors, channels)
                var row = JP2Row<UInt16>(width: size.width, isComputed: converter.isComputed)
                var opacity = [UInt16](repeating: .max, count: size.width)
                var isOpaque = true
                for y in 0..<size.height {
                    if y % step == 0 { try deadline.check() }
                    converter.read(y, of: size, into: &row)
                    for x in 0..<size.width {
                        rowPixels[x] = SIMD4(
                            row.planes[0][x], row.planes[1][x], row.planes[2][x], row.planes[3][x])
                    }
                    if colors.isCMYK { DeepTransform.convert(inks: rowPixels, by: deepTransform) }
                    if let alpha {
                        alpha.read(y, of: size, into: &opacity)
                        for x in 0..<size.width { rowPixels[x].w = opacity[x] }
                    }
                    guard let start = target.baseAddress else { continue }
                    isOpaque = convert(rowPixels, to: start + y * size.width, at: (0, y)) && isOpaque
                }
                return isOpaque
            }
            pixels.alpha = convert.alpha(isOpaque: isOpaque)
            return pixels.freeze()
        }

        private func write(to output: UnsafeMutableRawBufferPointer) {
            let converter = JP2RowColors<UInt8>(colors, channels)
            var numbers = JP2Row<UInt8>(width: size.width, isComputed: converter.isComputed)
            var opacity = [UInt8](repeating: 255, count: size.width)
            for row in 0..<size.height {
                converter.read(row, of: size, into: &numbers)
                let start = row * size.width * 4
                Self.interleave(numbers.planes, to: output, at: start, count: size.width)
                if colors.isCMYK {
                    let bytes = UnsafeMutableRawBufferPointer(
                        rebasing: output[start..<start + size.width * 4])
                    let rows = PixelRows(bytes, PixelSize(width: size.width, height: 1))
                    if let transform { transform.apply(to: rows) } else { rows.multiplyByBlack() }
                    rows.swapRedAndBlue()
                }
                guard let alpha else { continue }
                alpha.read(row, of: size, into: &opacity)
                for column in 0..<size.width { output[start + column * 4 + 3] = opacity[column] }
            }
        }

        private static func interleave(
            _ planes: [[UInt8]], to output: UnsafeMutableRawBufferPointer, at start: Int, count: Int
        ) {
            for column in 0..<count {
                let pixel =
                    UInt32(planes[3][column]) << 24 | UInt32(planes[2][column]) << 16
                    | UInt32(planes[1][column]) << 8 | UInt32(planes[0][column])
                output.storeBytes(of: pixel, toByteOffset: start + column * 4, as: UInt32.self)
            }
        }
    }

    /// The numbers of a row, 8 or 16 bits each.
    struct JP2Row<Number: FixedWidthInteger & UnsignedInteger> {
        /// Red, green, blue and the highest number, or inverted CMYK.
        fileprivate(set) var planes: [[Number]]
        /// What these are calculated from.
        fileprivate var values: [[Float]]

        init(width: Int, isComputed: Bool) {
            planes = [[Number]](repeating: [Number](repeating: .max, count: width), count: 4)
            values = [[Float]](repeating: [Float](repeating: 0, count: isComputed ? width : 0), count: 3)
        }
    }

    /// Makes red, green, blue and the highest number, or inverted CMYK, of the samples of a row.
    struct JP2RowColors<Number: FixedWidthInteger & UnsignedInteger> {
        /// Whether colours are calculated in floating point.
        let isComputed: Bool

        private let channels: [JP2Channel]
        private let isInverted: Bool
        private let hasBlack: Bool
        private let matrix: JP2Matrix?
        private let lab: JP2Lab?
        private let zeros: [Float]
        private let scales: [Float]

        init(_ colors: JP2Colors, _ channels: [JP2Channel]) {
            self.channels = channels
            let depths = channels.map(\.depth)
            (matrix, lab) =
                switch colors {
                case .matrix(let kind): (JP2Matrix(kind, depths: depths), nil)
                case .ycck: (JP2Matrix(.full, depths: depths), nil)
                case .lab(let lab): (nil, lab)
                default: (nil, nil)
                }
            (zeros, scales) =
                lab?.scaling(depths: depths) ?? (matrix?.zeros ?? [], matrix?.scales ?? [])
            isComputed = matrix != nil || lab != nil
            hasBlack = channels.count == 4
            isInverted = if case .grey(true) = colors { true } else { hasBlack }
        }

        func read(_ row: Int, of size: PixelSize, into numbers: inout JP2Row<Number>) {
            if isComputed {
                for index in 0..<3 {
                    channels[index]
                        .read(row, of: size, zeros[index], scales[index], into: &numbers.values[index])
                }
                matrix?.apply(&numbers.values, count: size.width)
                lab?.apply(&numbers.values, count: size.width)
                let scale = Float(Number.max) / 255
                for index in 0..<3 {
                    for column in 0..<size.width {
                        let value = min(max(numbers.values[index][column], 0), 255)
                        numbers.planes[index][column] = Number(value * scale + 0.5)
                    }
                }
            } else {
                for index in channels.indices.prefix(3) {
                    channels[index].read(row, of: size, into: &numbers.planes[index])
                    if isInverted { Self.invert(&numbers.planes[index]) }
                }
                if channels.count == 1 {
                    (numbers.planes[1], numbers.planes[2]) = (numbers.planes[0], numbers.planes[0])
                }
            }
            guard hasBlack else { return }
            channels[3].read(row, of: size, into: &numbers.planes[3])
            Self.invert(&numbers.planes[3])
        }

        private static func invert(_ numbers: inout [Number]) {
            for column in numbers.indices { numbers[column] = ~numbers[column] }
        }
    }

    extension RGBEncoding {
        /// ROMM RGB.
        fileprivate static let romm = RGBEncoding(
            red: Point(0.7347, 0.2653), green: Point(0.1596, 0.8404), blue: Point(0.0366, 0.0001),
            white: Point(0.3457, 0.3585), transfer: .romm)
    }
#endif
