#if TIFF
    import AlcedoPixels
    import CTiff
    import Glibc

    /// A file in memory that libtiff writes, and its first error.
    ///
    /// It must outlive the handle.
    final class TIFFTarget {
        private(set) var bytes: [UInt8] = []
        private var position = 0
        private var message: String?

        /// Opens an empty file; nil if libtiff can't.
        func open() -> OpaquePointer? {
            guard let options = libtiff.OpenOptionsAlloc() else { return nil }
            defer { libtiff.OpenOptionsFree(options) }
            let this = Unmanaged.passUnretained(self).toOpaque()
            // As in `TIFFSource`: 1 keeps libtiff from printing.
            libtiff.OpenOptionsSetWarningHandlerExtR(options, { _, _, _, _, _ in 1 }, nil)
            libtiff.OpenOptionsSetErrorHandlerExtR(
                options,
                { _, target, _, format, arguments in
                    guard let target = TIFFTarget.of(target), target.message == nil else { return 1 }
                    target.message = TIFFSource.text(format, arguments)
                    return 1
                }, this)
            return libtiff.ClientOpenExt(
                "image", "w", this,
                { target, buffer, count in TIFFTarget.of(target)?.read(buffer, count) ?? -1 },
                { target, buffer, count in TIFFTarget.of(target)?.write(buffer, count) ?? -1 },
                { target, offset, origin in TIFFTarget.of(target)?.seek(offset, origin) ?? .max },
                { _ in 0 },
                { target in TIFFTarget.of(target).map { UInt64($0.bytes.count) } ?? 0 },
                nil, nil, options)
        }

        var failure: CodecError {
            .encodingFailed(.tiff, reason: message.map { "libtiff: \($0)" } ?? "libtiff can't write it")
        }

        private static func of(_ pointer: UnsafeMutableRawPointer?) -> TIFFTarget? {
            pointer.map { Unmanaged<TIFFTarget>.fromOpaque($0).takeUnretainedValue() }
        }

        private func read(_ target: UnsafeMutableRawPointer?, _ count: tmsize_t) -> tmsize_t {
            let available = max(0, min(Int(count), bytes.count - position))
            guard available > 0, let target else { return 0 }
            bytes.withUnsafeBytes { bytes in
                guard let base = bytes.baseAddress else { return }
                target.copyMemory(from: base + position, byteCount: available)
            }
            position += available
            return tmsize_t(available)
        }

        private func write(_ source: UnsafeMutableRawPointer?, _ count: tmsize_t) -> tmsize_t {
            guard count > 0, let source else { return 0 }
            let end = position + Int(count)
            if end > bytes.count { bytes.append(contentsOf: repeatElement(0, count: end - bytes.count)) }
            bytes.withUnsafeMutableBytes { bytes in
                guard let base = bytes.baseAddress else { return }
                (base + position).copyMemory(from: source, byteCount: Int(count))
            }
            position = end
            return count
        }

        private func seek(_ offset: UInt64, _ origin: Int32) -> UInt64 {
            // Not beyond what a classic TIFF can have.
            TIFFSource.seek(offset, origin, from: &position, count: bytes.count, most: Int(UInt32.max))
        }
    }
#endif
