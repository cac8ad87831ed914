#if TIFF
    import AlcedoCodecs
    import AlcedoPixels
    import CTiff

    /// Reads the first image of a file as 8 bits of red, green, blue and premultiplied alpha, which libtiff converts to.
    final class TIFFReader {
        /// Samples of a pixel; more would take memory without being shown.
        private static let mostSamples = 16

        let info: ImageInfo

        private let file: TIFFFile
        private let image: UnsafeMutablePointer<TIFFRGBAImage>
        private let rowsPerBlock: Int

        /// Reads the headers; `bytes` must outlive it.
        init(
            _ bytes: UnsafeRawBufferPointer, limits: DecodeLimits, isInWorker: Bool
        ) throws(CodecError) {
            file = try TIFFFile(bytes, limits: limits, isInWorker: isInWorker)
            let size = file.size
            try limits.check(frame: size, of: .tiff)
            guard file.samplesPerPixel <= Self.mostSamples else {
                throw .unsupported(.tiff, reason: "it has \(file.samplesPerPixel) samples per pixel")
            }
            rowsPerBlock = try file.rowsPerBlock()
            image = .allocate(capacity: 1)
            var reason = [CChar](repeating: 0, count: 1024)
            guard libtiff.RGBAImageBegin(image, file.handle, 1, &reason) != 0 else {
                image.deallocate()
                let text = String(decoding: reason.prefix { $0 != 0 }.map(UInt8.init), as: UTF8.self)
                throw .unsupported(.tiff, reason: "libtiff: \(text)")
            }
            // The stored order: the engine turns the picture.
            image.pointee.req_orientation = image.pointee.orientation
            info = ImageInfo(
                format: .tiff, size: size,
                orientation: Orientation(rawValue: Int(image.pointee.orientation)) ?? .up,
                hasAlpha: image.pointee.alpha != 0, isComplete: file.isComplete)
        }

        deinit {
            libtiff.RGBAImageEnd(image)
            image.deallocate()
        }

        /// Writes RGBA pixels, premultiplied if there is alpha.
        func read(into output: UnsafeMutableRawBufferPointer, _ deadline: Deadline) throws(CodecError) {
            let (width, height) = (info.size.width, info.size.height)
            guard let base = output.baseAddress?.assumingMemoryBound(to: UInt32.self) else { return }
            base.update(repeating: 0, count: width * height)
            var row = 0
            while row < height {
                try deadline.check()
                let count = min(rowsPerBlock, height - row)
                image.pointee.row_offset = Int32(row)
                let target = base + row * width
                guard libtiff.RGBAImageGet(image, target, UInt32(width), UInt32(count)) != 0 else {
                    throw file.damage
                }
                row += count
            }
        }

        /// The embedded profile; nil without one of at most `limit` bytes.
        func profile(limit: Int) -> [UInt8]? { file.profile(limit: limit) }

        /// The conversion from the profile's colours; nil for sRGB, and for CMYK, which libtiff has converted.
        func transform(limit: Int) -> ColorTransform? {
            let isGrey = [PHOTOMETRIC_MINISWHITE, PHOTOMETRIC_MINISBLACK]
                .contains(Int32(image.pointee.photometric))
            return profile(limit: limit)
                .flatMap { ColorTransform.toSRGB(from: $0, layout: isGrey ? .grey : .rgba) }
        }
    }
#endif
