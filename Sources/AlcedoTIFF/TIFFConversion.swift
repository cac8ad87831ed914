#if TIFF
    import AlcedoCodecs
    import AlcedoPixels
    import CTiff

    /// libtiff's own conversion to 8 bits of red, green and blue: for YCbCr, CIE L\*a\*b\*, LogL and LogLuv.
    final class TIFFConversion {
        private let file: TIFFFile
        private let image: UnsafeMutablePointer<TIFFRGBAImage>

        /// Throws if libtiff does not convert such samples.
        init(_ file: TIFFFile) throws(CodecError) {
            let image = UnsafeMutablePointer<TIFFRGBAImage>.allocate(capacity: 1)
            var reason = [CChar](repeating: 0, count: 1024)
            guard libtiff.RGBAImageBegin(image, file.handle, 1, &reason) != 0 else {
                image.deallocate()
                let bits = file.u16(TIFFTAG_BITSPERSAMPLE) ?? 1
                let text = String(
                    decoding: reason.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
                throw .unsupported(
                    .tiff,
                    reason: "libtiff can't convert \(file.samplesPerPixel) samples of \(bits) bits: \(text)")
            }
            // The stored order: the engine turns the picture.
            image.pointee.req_orientation = image.pointee.orientation
            (self.file, self.image) = (file, image)
        }

        deinit {
            libtiff.RGBAImageEnd(image)
            image.deallocate()
        }

        var hasAlpha: Bool { image.pointee.alpha != 0 }

        /// Writes RGBA pixels, premultiplied if there is alpha.
        func read(into output: UnsafeMutableRawBufferPointer, _ deadline: Deadline) throws(CodecError) {
            let (width, height) = (file.size.width, file.size.height)
            guard let base = output.baseAddress?.assumingMemoryBound(to: UInt32.self) else { return }
            base.update(repeating: 0, count: width * height)
            let rows = file.blockSize.height
            for row in stride(from: 0, to: height, by: rows) {
                try deadline.check()
                image.pointee.row_offset = Int32(row)
                let (target, count) = (base + row * width, min(rows, height - row))
                guard libtiff.RGBAImageGet(image, target, UInt32(width), UInt32(count)) != 0 else {
                    throw file.damage
                }
            }
        }

        /// Converts the pixels to those of a bitmap; returns the kind of its alpha.
        ///
        /// The profile of an image whose colours are independent of a device is ignored: libtiff has converted them to sRGB.
        func finish(_ rows: PixelRows, profile: [UInt8]?, options: DecodeOptions) -> Bitmap.Alpha {
            let isYCbCr = Int32(image.pointee.photometric) == PHOTOMETRIC_YCBCR
            let transform = profile.flatMap { isYCbCr ? ColorTransform.toSRGB(from: $0, layout: .rgba) : nil }
            return RowConverter(transform, hasAlpha: hasAlpha, isPremultiplied: true, options: options)(rows)
        }
    }
#endif
