#if TIFF
    import AlcedoPixels
    import CTiff
    import Glibc

    /// Bytes that libtiff reads as a file, and its first error.
    ///
    /// They must outlive it.
    final class TIFFSource {
        /// libtiff's message of the first error; nil without an error.
        private var message: String?

        private let bytes: UnsafeRawBufferPointer
        private var position = 0

        init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

        /// Opens the file; nil if libtiff can't read its first directory in allocations of so many bytes.
        func open(largestAllocation: Int) -> OpaquePointer? {
            guard let options = libtiff.OpenOptionsAlloc() else { return nil }
            defer { libtiff.OpenOptionsFree(options) }
            let this = Unmanaged.passUnretained(self).toOpaque()
            libtiff.OpenOptionsSetMaxSingleMemAlloc(options, tmsize_t(largestAllocation))
            // 1 keeps libtiff from calling its global handlers too, which print to standard error.
            libtiff.OpenOptionsSetWarningHandlerExtR(options, { _, _, _, _, _ in 1 }, nil)
            libtiff.OpenOptionsSetErrorHandlerExtR(
                options,
                { _, source, _, format, arguments in
                    TIFFSource.of(source)?.note(format, arguments)
                    return 1
                }, this)
            // libtiff reads the bytes where they are, as it does with a mapped file. It would copy them otherwise, and
            // TIFFRGBAImageGet of libtiff 4.5.0 rejects uncompressed tiles that were copied, unless their size is a
            // multiple of 1,024 bytes.
            return libtiff.ClientOpenExt(
                "image", "r", this,
                { source, target, count in TIFFSource.of(source)?.read(target, count) ?? -1 },
                { _, _, _ in -1 },
                { source, offset, origin in TIFFSource.of(source)?.seek(offset, origin) ?? .max },
                { _ in 0 },
                { source in TIFFSource.of(source).map { UInt64($0.bytes.count) } ?? 0 },
                { source, start, count in TIFFSource.of(source)?.map(start, count) ?? 0 },
                { _, _, _ in }, options)
        }

        /// What is damaged or not supported in the bytes, unless memory ran out.
        var damage: CodecError {
            if message?.contains(/[Oo]ut of memory|[Ff]ailed to allocate memory/) == true {
                return .outOfMemory(byteCount: bytes.count)
            }
            if let message, message.contains(Self.limitation) {
                return .unsupported(.tiff, reason: "libtiff: \(message)")
            }
            return .corrupt(.tiff, reason: message.map { "libtiff: \($0)" } ?? "libtiff can't read it")
        }

        /// libtiff's message about fields that it does not know.
        private static var limitation: Regex<Substring> {
            /[Nn]ot supported|[Uu]nsupported|not implemented|not configured|different values per sample/
        }

        private static func of(_ pointer: UnsafeMutableRawPointer?) -> TIFFSource? {
            pointer.map { Unmanaged<TIFFSource>.fromOpaque($0).takeUnretainedValue() }
        }

        /// Hands out the bytes, which libtiff does not change.
        private func map(
            _ start: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, _ count: UnsafeMutablePointer<UInt64>?
        ) -> Int32 {
            guard let base = bytes.baseAddress else { return 0 }
            start?.pointee = UnsafeMutableRawPointer(mutating: base)
            count?.pointee = UInt64(bytes.count)
            return 1
        }

        private func read(_ target: UnsafeMutableRawPointer?, _ count: tmsize_t) -> tmsize_t {
            let available = max(0, min(Int(count), bytes.count - position))
            guard available > 0, let target, let base = bytes.baseAddress else { return 0 }
            target.copyMemory(from: base + position, byteCount: available)
            position += available
            return tmsize_t(available)
        }

        private func seek(_ offset: UInt64, _ origin: Int32) -> UInt64 {
            Self.seek(offset, origin, from: &position, count: bytes.count)
        }

        /// `lseek` in a file of `count` bytes; for an invalid place, keeps `position` and returns the largest number.
        static func seek(
            _ offset: UInt64, _ origin: Int32, from position: inout Int, count: Int, most: Int = .max
        ) -> UInt64 {
            let start =
                switch origin {
                case SEEK_SET: 0
                case SEEK_CUR: position
                default: count
                }
            let (target, overflow) = start.addingReportingOverflow(Int(truncatingIfNeeded: offset))
            guard !overflow, target >= 0, target <= most else { return .max }
            position = target
            return UInt64(target)
        }

        /// Keeps the first message.
        private func note(_ format: UnsafePointer<CChar>?, _ arguments: CVaListPointer?) {
            if message == nil { message = Self.text(format, arguments) }
        }

        /// A message without characters that a terminal would act on.
        static func text(_ format: UnsafePointer<CChar>?, _ arguments: CVaListPointer?) -> String? {
            guard let format, let arguments else { return nil }
            var text = [CChar](repeating: 0, count: 256)
            vsnprintf(&text, text.count, format, arguments)
            let printable = text.prefix { $0 != 0 }.filter { (0x20..<0x7F).contains($0) }
            return String(decoding: printable.map(UInt8.init(bitPattern:)), as: UTF8.self)
        }
    }
#endif
