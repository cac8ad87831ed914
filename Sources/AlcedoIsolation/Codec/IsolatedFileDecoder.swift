package import AlcedoPixels
import Glibc

/// Decodes pictures of open files, always in a worker process.
///
/// The worker gets the descriptor and reads from it, so that a large file is neither read whole nor copied, and one that
/// becomes shorter meanwhile harms nobody. It can open no other file.
package struct IsolatedFileDecoder: FileDecoder {
    private let format: EncodedFormat
    private let group: DecoderGroup

    /// Creates a decoder in the workers of `group`, whose errors name `format`.
    package init(of format: EncodedFormat, in group: DecoderGroup) {
        self.format = format
        self.group = group
    }

    package func decode(_ file: Int32, options: DecodeOptions) throws(CodecError) -> Bitmap {
        guard !group.isAbsent else {
            throw .sandboxFailed(format, .unavailable(reason: HelperFolder.absence(of: group.helper)))
        }
        defer { group.checkLevel() }
        let identity = FileIdentity.bytes(of: file, options)
        return try identity.span.bytes.withUnsafeBytes { identity throws(CodecError) in
            var work = IsolatedDecoding(
                pool: group.pool, format: format, input: identity, limits: options.limits)
            work.file = file
            return try work.decode(options)
        }
    }
}

/// What tells a picture of a file from other pictures, without reading the file.
private enum FileIdentity {
    static func bytes(of file: Int32, _ options: DecodeOptions) -> [UInt8] {
        // A partial file is another one each time that it is loaded.
        if let name = options.partialFile {
            return name + withUnsafeBytes(of: options.time.bitPattern) { Array($0) }
        }
        var status = stat()
        fstat(file, &status)
        let numbers = [
            UInt64(status.st_dev), UInt64(status.st_ino), UInt64(bitPattern: Int64(status.st_size)),
            UInt64(bitPattern: Int64(status.st_mtim.tv_sec)),
            UInt64(bitPattern: Int64(status.st_mtim.tv_nsec)),
            options.time.bitPattern,
        ]
        return numbers.withUnsafeBytes { Array($0) }
    }
}
