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
        init(_ bytes: UnsafeRawBufferPointer, limits: DecodeLimits) throws(CodecError) {
            try libtiff.check()
            let most = max(limits.pixelsPerFrame, 1 << 20).multipliedReportingOverflow(by: 8)
            let source = TIFFSource(bytes)
            guard let handle = source.open(largestAllocation: most.overflow ? .max : most.partialValue) else {
                throw Self.isCutShort(bytes) ? .truncated(.tiff) : source.damage
            }
            (self.handle, self.source, byteCount) = (handle, source, bytes.count)
        }

        deinit { libtiff.Close(handle) }

        /// What libtiff says is wrong.
        var damage: CodecError { source.damage }

        var size: PixelSize {
            PixelSize(width: Int(u32(TIFFTAG_IMAGEWIDTH)), height: Int(u32(TIFFTAG_IMAGELENGTH)))
        }

        var samplesPerPixel: Int { Int(u16(TIFFTAG_SAMPLESPERPIXEL)) }

        /// The rows of a strip or a tile, and the bytes of one, or of one in each plane.
        func blocks() throws(CodecError) -> (rows: Int, bytes: Int) {
            let isTiled = libtiff.IsTiled(handle) != 0
            let rows = isTiled ? u32(TIFFTAG_TILELENGTH) : u32(TIFFTAG_ROWSPERSTRIP)
            let bytes = Int(clamping: isTiled ? libtiff.TileSize64(handle) : libtiff.StripSize64(handle))
            // 16 samples of 16 bits, and tiles that extend over the edges.
            guard rows > 0, bytes > 0, bytes <= size.area * 32 + (1 << 22) else {
                throw .corrupt(.tiff, reason: "its \(isTiled ? "tiles are" : "strips are") of \(bytes) bytes")
            }
            let planes = u16(TIFFTAG_PLANARCONFIG) == PLANARCONFIG_SEPARATE ? 4 : 1
            return (min(Int(rows), size.height), bytes * planes)
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
