#if SVG
    import AlcedoPixels
    import CZlib

    /// Unpacks gzip, as in `.svgz` files.
    enum Gzip {
        /// The decompressed bytes, and why they are incomplete.
        struct Unpacked {
            var bytes: [UInt8]
            var failure: CodecError?
        }

        /// Decompresses `bytes` as far as possible; stops soon after `most` bytes.
        ///
        /// - Throws: ``CodecError`` if there is no memory.
        static func unpack(_ bytes: RawSpan, most: Int) throws(CodecError) -> Unpacked {
            var stream = z_stream()
            // Adding 16 to the window size selects the gzip format.
            let size = Int32(MemoryLayout<z_stream>.size)
            guard inflateInit2_(&stream, 15 + 16, ZLIB_VERSION, size) == Z_OK else {
                throw .outOfMemory(byteCount: 1 << 15)
            }
            defer { inflateEnd(&stream) }
            var result: [UInt8] = []
            var status = Z_OK
            var chunk = [UInt8](repeating: 0, count: 1 << 16)
            bytes.withUnsafeBytes { input in
                let start = input.baseAddress?.assumingMemoryBound(to: UInt8.self)
                stream.next_in = UnsafeMutablePointer(mutating: start)
                stream.avail_in = UInt32(clamping: input.count)
                while status == Z_OK, result.count <= most {
                    status = chunk.withUnsafeMutableBufferPointer { output in
                        stream.next_out = output.baseAddress
                        stream.avail_out = UInt32(output.count)
                        return inflate(&stream, Z_NO_FLUSH)
                    }
                    result += chunk.prefix(chunk.count - Int(stream.avail_out))
                }
            }
            let failure: CodecError? =
                switch status {
                case Z_STREAM_END: nil
                case Z_BUF_ERROR, Z_OK: .truncated(.svg)
                default: .corrupt(.svg, reason: "its compression is damaged")
                }
            return Unpacked(bytes: result, failure: failure)
        }
    }
#endif
