#if TIFF
    import AlcedoCodecs
    public import AlcedoPixels
    import CTiff

    extension TIFFCodec {
        /// Writes TIFF, without loss.
        public var encodableFormats: [EncodedFormat] { [.tiff] }

        /// Writes 8 bits of red, green and blue, and of alpha if `bitmap` is not opaque, compressed by LZW without loss.
        ///
        /// Alpha is associated (TIFF 6.0) for premultiplied pixels, and unassociated for straight ones, so neither changes.
        ///
        /// - Throws: ``CodecError/encodingFailed(_:reason:)`` if the file would have more than 4 GiB.
        public func encode(
            _ bitmap: Bitmap,
            as format: EncodedFormat,
            options: EncodeOptions
        ) throws(CodecError) -> [UInt8] {
            guard format == .tiff else {
                throw .unsupported(format, reason: "the TIFF codec does not write it")
            }
            try libtiff.check()
            let target = TIFFTarget()
            guard let handle = target.open() else { throw target.failure }
            var isWritten = Self.writeDirectory(of: bitmap, to: handle)
            var row = [UInt8](repeating: 0, count: bitmap.bytesPerRow)
            let channels = bitmap.alpha == .opaque ? 3 : 4
            for y in 0..<bitmap.height where isWritten {
                bitmap.withUnsafeBytes { pixels in
                    for x in 0..<bitmap.width {
                        let (source, place) = (y * bitmap.bytesPerRow + x * 4, x * channels)
                        for channel in 0..<3 { row[place + channel] = pixels[source + 2 - channel] }
                        if channels == 4 { row[place + 3] = pixels[source + 3] }
                    }
                }
                isWritten = libtiff.WriteScanline(handle, &row, UInt32(y), 0) == 1
            }
            isWritten = isWritten && libtiff.Flush(handle) == 1
            libtiff.Close(handle)
            guard isWritten else { throw target.failure }
            return target.bytes
        }

        private static func writeDirectory(of bitmap: Bitmap, to handle: OpaquePointer) -> Bool {
            let isOpaque = bitmap.alpha == .opaque
            let fields: [(tag: Int32, value: Int)] = [
                (TIFFTAG_IMAGEWIDTH, bitmap.width), (TIFFTAG_IMAGELENGTH, bitmap.height),
                (TIFFTAG_BITSPERSAMPLE, 8), (TIFFTAG_SAMPLESPERPIXEL, isOpaque ? 3 : 4),
                (TIFFTAG_PHOTOMETRIC, Int(PHOTOMETRIC_RGB)),
                (TIFFTAG_PLANARCONFIG, Int(PLANARCONFIG_CONTIG)),
                (TIFFTAG_COMPRESSION, Int(COMPRESSION_LZW)), (TIFFTAG_PREDICTOR, Int(PREDICTOR_HORIZONTAL)),
            ]
            for field in fields
            where alcedo_tiff_set(libtiff, handle, UInt32(field.tag), UInt32(field.value)) != 1 {
                return false
            }
            let kind = bitmap.alpha == .straight ? EXTRASAMPLE_UNASSALPHA : EXTRASAMPLE_ASSOCALPHA
            guard isOpaque || alcedo_tiff_set_alpha(libtiff, handle, UInt16(kind)) == 1 else { return false }
            let rows = libtiff.DefaultStripSize(handle, 0)
            return alcedo_tiff_set(libtiff, handle, UInt32(TIFFTAG_ROWSPERSTRIP), rows) == 1
        }
    }
#endif
