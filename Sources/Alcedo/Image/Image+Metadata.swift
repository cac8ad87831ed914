public import AlcedoCodecs
import AlcedoLocks
public import Foundation

extension Image {
    /// What the file says about the picture: EXIF, XMP and IPTC.
    ///
    /// Nil for an image that was drawn, or whose format has none. Nothing is read before its first use, and nothing is
    /// kept: read it once, and keep the result. Takes less than a millisecond, or 0.1 s for a PNG with compressed
    /// texts. An image that a processor has changed has the metadata that ``ImageProcessor/keepingMetadata(_:)`` has
    /// kept, if any.
    public var metadata: ImageMetadata? {
        guard let encoded else { return attachments.withLock { $0.metadata }.map { ImageMetadata($0) } }
        // Swift 6.2 crashes at a span of a property of what a guard binds.
        let data = encoded.data
        return ImageMetadata(of: data.bytes, limits: encoded.limits)
    }

    /// The same as bytes; empty if there is none.
    var metadataBlocks: MetadataBlocks {
        guard let encoded else { return attachments.withLock { $0.metadata } ?? MetadataBlocks() }
        let data = encoded.data
        return MetadataBlocks(
            of: data.bytes, format: encoded.info.format, limit: encoded.limits.metadataBytes)
    }

    /// What is written where no options say what to keep: what a processor has kept.
    var keptMetadata: MetadataPolicy {
        encoded == nil && attachments.withLock { $0.metadata } != nil ? .all : .none
    }

    /// The encoded bytes with less metadata, and with the same pixels.
    ///
    /// - Throws: ``CodecError`` if there are no bytes, their structure is damaged, or metadata of their format cannot
    ///   be replaced.
    package func dataReplacingMetadata(keeping policy: MetadataPolicy) throws(CodecError) -> Data {
        guard let encoded else { throw .unknownFormat }
        guard policy != .all else { return encoded.data }
        let format = encoded.info.format
        guard MetadataBlocks.replaceableFormats.contains(format) else {
            throw .unsupported(format, reason: "its metadata cannot be replaced")
        }
        let kept = metadataBlocks.kept(by: policy, orientation: encoded.info.orientation)
        guard let file = kept.replacing(in: [UInt8](encoded.data), format: format) else {
            throw .corrupt(format, reason: "its structure has no place for other metadata")
        }
        return Data(file)
    }
}

extension ImageMetadata {
    /// Reads the metadata of a file's content; nil if it is in no format that has any.
    ///
    /// Only ``DecodeLimits/metadataBytes`` counts of `limits`: longer blocks are left out.
    public init?(data: Data, limits: DecodeLimits = DecodeLimits()) {
        self.init(of: data.bytes, limits: limits)
    }

    /// Reads the metadata of a file on the calling thread, in parts: a large file is not read whole.
    ///
    /// Nil if it cannot be read, or is in no format that has any.
    public init?(contentsOfFile path: String, limits: DecodeLimits = DecodeLimits()) {
        // A pipe at the path must not block the thread; below, it is no regular file.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        let source = MetadataSource(count: Int(status.st_size)) { offset, target in
            var done = 0
            while done < target.count, let base = target.baseAddress {
                let count = pread(descriptor, base + done, target.count - done, off_t(offset + done))
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return false }
                done += count
            }
            return true
        }
        self.init(reading: source, limits: limits)
    }
}

extension ImageMetadata.CaptureDate {
    /// The moment, by the file's own offset from UTC, or else in the time zone; nil without one of them.
    public func date(in timeZone: TimeZone? = nil) -> Date? {
        guard let zone = offset.flatMap({ TimeZone(secondsFromGMT: $0 * 60) }) ?? timeZone else { return nil }
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = zone
        let components = DateComponents(
            year: year, month: month, day: day, hour: hour, minute: minute, second: second)
        return calendar.date(from: components)?.addingTimeInterval(fraction)
    }
}
