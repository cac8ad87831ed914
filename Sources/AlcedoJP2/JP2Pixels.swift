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
        private let layout: ColorLayout
        /// What the file says about the colours; nil for sRGB, and for what is converted by numbers of its own.
        private let source: ColorSource?
        private let space: ColorSpace?
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
            if case .romm = self.colors {
                (source, space) = (ColorSource(.romm), RGBEncoding.romm.space)
            } else {
                source = profile.map { ColorSource(profile: $0, layout: layout) }
                space = profile.map { .icc($0) }
            }
            isDeep = all.contains { $0.depth > 8 }
            self.layout = layout
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
            let target = DeepTarget(space, layout: layout, isDeep: isDeep, options: options)
            if isDeep { return try deepBitmap(target, options) }
            var conversion = options
            if target != nil { conversion.keepsStraightAlpha = true }
            // CMYK is converted before.
            let finish = RowConverter(
                colors.isCMYK || target != nil ? nil : source?.transform, hasAlpha: alpha != nil,
                isPremultiplied: isPremultiplied, options: conversion)
            var pixels = try PixelBuilder(size: size, alpha: .opaque)
            pixels.alpha = pixels.withUnsafeMutableBytes { output in
                write(to: output)
                return finish(PixelRows(output, size))
            }
            let bitmap = pixels.freeze()
            guard let target else { return bitmap }
            return try bitmap.widened(to: target, options: options)
        }

        private func deepBitmap(
            _ target: DeepTarget?, _ options: DecodeOptions
        ) throws(CodecError) -> Bitmap {
            // CMYK is converted before.
            let transform = source?.deepTransform
            let output = DeepOutput(
                colors.isCMYK ? nil : transform, target: target,
                alpha: alpha == nil ? .none : isPremultiplied ? .premultiplied : .straight, options: options)
            let size = size
            let converter = JP2RowColors<UInt16>(colors, channels)
            var row = JP2Row<UInt16>(width: size.width, isComputed: converter.isComputed)
            var opacity = [UInt16](repeating: .max, count: size.width)
            return try output.bitmap(of: size, until: Deadline(options.limits)) { y, pixels in
                converter.read(y, of: size, into: &row)
                for x in 0..<size.width {
                    pixels[x] = SIMD4(row.planes[0][x], row.planes[1][x], row.planes[2][x], row.planes[3][x])
                }
                if colors.isCMYK { DeepTransform.convert(inks: pixels, by: transform) }
                if let alpha {
                    alpha.read(y, of: size, into: &opacity)
                    for x in 0..<size.width { pixels[x].w = opacity[x] }
                }
            }
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
                    if let transform = source?.transform {
                        transform.apply(to: rows)
                    } else {
                        rows.multiplyByBlack()
                    }
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
