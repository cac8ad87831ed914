#if TIFF
    import AlcedoCodecs
    import AlcedoPixels
    import CTiff

    /// A file that libtiff has opened, at its first directory.
    final class TIFFFile {
        let handle: OpaquePointer

        private let source: TIFFSource
        private let byteCount: Int

        /// Opens a file; `bytes` must outlive it.
        init(
            _ bytes: UnsafeRawBufferPointer, limits: DecodeLimits, isInWorker: Bool
        ) throws(CodecError) {
            try libtiff.check()
            try TIFFDirectory(bytes.bytes)?.check(byteCount: bytes.count)
            let most = max(limits.pixelsPerFrame, 1 << 20).multipliedReportingOverflow(by: 8)
            let source = TIFFSource(bytes)
            guard let handle = source.open(largestAllocation: most.overflow ? .max : most.partialValue) else {
                throw Self.isCutShort(bytes) ? .truncated(.tiff) : source.damage
            }
            (self.handle, self.source, byteCount) = (handle, source, bytes.count)
            guard !isInWorker, let name = Self.workerCompressions[Int(u16(TIFFTAG_COMPRESSION))] else {
                return
            }
            throw .unsupported(
                .tiff,
                reason:
                    "\(name) compression is decoded in worker processes only; install alcedo-decode-heif, and "
                    + "do not turn isolation off")
        }

        /// Compressions whose decoders may end the process or not end at all, by the number in the file.
        ///
        /// libjbig aborts if it gets no memory for a size in the data, which may be any, and decodes all rows that the data
        /// announces. libLerc is C++ that throws, and for the old JPEG libtiff guesses what files mean.
        private static let workerCompressions = [
            Int(COMPRESSION_JBIG): "JBIG", Int(COMPRESSION_OJPEG): "old JPEG", Int(COMPRESSION_LERC): "LERC",
        ]

        deinit { libtiff.Close(handle) }

        /// What libtiff says is wrong.
        var damage: CodecError { source.damage }

        var size: PixelSize {
            PixelSize(width: Int(u32(TIFFTAG_IMAGEWIDTH)), height: Int(u32(TIFFTAG_IMAGELENGTH)))
        }

        var samplesPerPixel: Int { Int(u16(TIFFTAG_SAMPLESPERPIXEL)) }

        /// The bytes of a strip or a tile.
        var bytesPerBlock: Int {
            let isTiled = libtiff.IsTiled(handle) != 0
            return Int(clamping: isTiled ? libtiff.TileSize64(handle) : libtiff.StripSize64(handle))
        }

        /// The rows of a strip or a tile.
        func rowsPerBlock() throws(CodecError) -> Int {
            let isTiled = libtiff.IsTiled(handle) != 0
            let rows = isTiled ? u32(TIFFTAG_TILELENGTH) : u32(TIFFTAG_ROWSPERSTRIP)
            let bytes = bytesPerBlock
            // 16 samples of 16 bits, and tiles that extend over the edges.
            guard rows > 0, bytes > 0, bytes <= size.area * 32 + (1 << 22) else {
                throw .corrupt(.tiff, reason: "its \(isTiled ? "tiles are" : "strips are") of \(bytes) bytes")
            }
            return min(Int(rows), size.height)
        }

        /// Whether all strips or tiles are there.
        var isComplete: Bool {
            let count =
                libtiff.IsTiled(handle) != 0 ? libtiff.NumberOfTiles(handle) : libtiff.NumberOfStrips(handle)
            return (0..<count).allSatisfy { index in
                let (end, overflow) = libtiff.GetStrileOffset(handle, index)
                    .addingReportingOverflow(libtiff.GetStrileByteCount(handle, index))
                return !overflow && end <= byteCount
            }
        }

        /// The embedded profile; nil without one of at most `limit` bytes.
        func profile(limit: Int) -> [UInt8]? {
            var count: UInt32 = 0
            var bytes: UnsafeRawPointer?
            guard alcedo_tiff_profile(libtiff, handle, &count, &bytes) == 1, let bytes, count <= limit else {
                return nil
            }
            return [UInt8](UnsafeRawBufferPointer(start: bytes, count: Int(count)))
        }

        private func u16(_ tag: Int32) -> UInt16 {
            var value: UInt16 = 0
            return alcedo_tiff_u16(libtiff, handle, UInt32(tag), &value) == 1 ? value : 0
        }

        private func u32(_ tag: Int32) -> UInt32 {
            var value: UInt32 = 0
            return alcedo_tiff_u32(libtiff, handle, UInt32(tag), &value) == 1 ? value : 0
        }

        /// Whether the first directory is beyond the end.
        private static func isCutShort(_ bytes: UnsafeRawBufferPointer) -> Bool {
            let span = bytes.bytes
            let first = span.has("MM", at: 0) ? span.u32BE(4) : span.u32LE(4)
            return first.map { $0 + 2 > span.byteCount } ?? true
        }
    }
#endif
