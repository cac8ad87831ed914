import AlcedoCodecs
import AlcedoIsolation
import AlcedoLocks
import AlcedoPixels
import AlcedoTransport
import Foundation
import FoundationNetworking

/// A video at a URL, of which only the parts are loaded that a frame needs.
///
/// A worker decodes what is there. Where it lacks a part it stops, the part is requested with `Range`, and the worker starts
/// again. So it needs no access to the network, and a part is requested only because a decoder has tried to read it: the
/// headers, the index, which may be at the end, and what lies between the key frame before and the frame.
struct RemoteVideo {
    let url: URL
    let seconds: TimeInterval
    let downloader: ImageDownloader

    /// Those of the load: its credentials, modifier and limits apply to each request.
    let options: KingfisherParsedOptionsInfo

    /// The most bytes that are loaded, and kept in memory meanwhile: a minute of 1080p as cameras write it.
    static let mostBytes = 64 << 20

    /// Each is a request, and a run of the decoder.
    static let mostParts = 64

    /// Loads and decodes; throws what the downloader throws, a ``TransportError`` or a ``CodecError``.
    func frame() async throws -> Bitmap {
        var plan = PartPlan()
        let first = try await part(plan.first)
        plan.size = first.size
        plan.add(0..<first.bytes.count)
        let file = try SparseFile(size: first.size)
        try file.write(first.bytes, at: 0)
        let name = self.name(of: first)
        while true {
            switch try await outcome(in: file, name: name + plan.name) {
            case .value(let bitmap): return bitmap
            case .lacksPart(let offset):
                guard let range = plan.next(at: offset) else {
                    throw TransportError.tooLarge(limit: Self.mostBytes, url: url.absoluteString)
                }
                let next = try await part(range, continuing: first)
                try file.write(next.bytes, at: range.lowerBound)
                plan.add(range)
            }
        }
    }

    // MARK: - Decoding

    /// Decodes on a thread that may wait for a worker process.
    private func outcome(
        in file: SparseFile, name: [UInt8]
    ) async throws -> SparseFile.Outcome<Bitmap> {
        let options = DecodeOptions {
            $0.time = seconds
            $0.keepsStraightAlpha = true
            $0.limits = self.options.decodeLimits
            $0.partialFile = name
        }
        let result = OneShot<SparseFile.Outcome<Bitmap>, any Error>()
        AVAssetImageDataProvider.files.async {
            result.finish(
                Result {
                    try file.outcome { descriptor throws(CodecError) in
                        try videoFrames.decode(descriptor, options: options)
                    }
                })
        }
        return try await result.value()
    }

    /// What tells the file from others, so that one that ends its workers is not decoded again each time.
    private func name(of part: Part) -> [UInt8] {
        Array("\(url.absoluteString) \(part.size) \(part.validators)".utf8)
    }

    // MARK: - Loading

    /// A part of the file, or all of it.
    private struct Part {
        var bytes: Data
        /// Of the file, in bytes.
        var size: Int
        /// The fields that change with the file.
        var validators: [String?]
        /// The value of `If-Range`; only a strong tag counts there.
        var condition: String? {
            guard let tag = validators[0], tag.hasPrefix("\""), tag.hasSuffix("\"") else { return nil }
            return tag
        }
    }

    private func part(_ range: Range<Int>, continuing first: Part? = nil) async throws -> Part {
        var options = options
        options.processor = PartProcessor.shared
        options.decodeLimits.encodedBytes = first == nil ? Self.mostBytes : range.count
        options.requestModifier = RangeModifier(
            base: options.requestModifier, range: range, condition: first?.condition)
        options.lowDataModeSource = nil
        options.progressiveJPEG = nil
        let result = try await downloader.downloadImage(with: url, options: options)
        let part = try part(result, range)
        guard let first else { return part }
        guard part.bytes.count == range.count, part.size == first.size, part.validators == first.validators
        else { throw malformed("the file has changed while parts of it were loaded; load it again") }
        return part
    }

    private func part(_ result: ImageLoadingResult, _ range: Range<Int>) throws(TransportError) -> Part {
        let bytes = result.originalData
        guard let response = result.fetched?.response, response.status == 206 else {
            // The server has no parts, or the program's downloader made the response: this is all of it.
            return Part(bytes: bytes, size: bytes.count, validators: [nil, nil])
        }
        guard let content = ContentRange(response.value(forHeader: "content-range")),
            content.bytes.lowerBound == range.lowerBound, content.bytes.count == bytes.count,
            content.bytes.upperBound == min(range.upperBound, content.size)
        else { throw malformed("its Content-Range is not what was requested: bytes \(range)") }
        let validators = ["etag", "last-modified"].map { response.value(forHeader: $0) }
        return Part(bytes: bytes, size: content.size, validators: validators)
    }

    private func malformed(_ reason: String) -> TransportError {
        .malformedResponse(reason: reason, url: url.absoluteString)
    }
}

/// Which parts of a file are there, and which one is loaded next.
struct PartPlan {
    var size = 0

    private var parts: [Range<Int>] = []
    private var length = leastLength

    private static let leastLength = 256 << 10
    private static let mostLength = 4 << 20

    /// The first part: the headers of most files, and all of a short one.
    var first: Range<Int> { 0..<Self.leastLength }

    /// Tells how much is there.
    var name: [UInt8] { Array(" \(parts.count)".utf8) }

    private var loaded: Int { parts.reduce(0) { $0 + $1.count } }

    mutating func add(_ range: Range<Int>) { parts.append(range) }

    /// The part to load where the decoder lacks the byte at `offset`; nil beyond the limits, or if it is there.
    ///
    /// It has twice the length of the part before if it continues that, as a search for a frame does; up to 4 MiB.
    mutating func next(at offset: Int) -> Range<Int>? {
        let start = offset / SparseFile.alignment * SparseFile.alignment
        guard parts.count < RemoteVideo.mostParts, !parts.contains(where: { $0.contains(start) }) else {
            return nil
        }
        length = parts.last?.upperBound == start ? min(length * 2, Self.mostLength) : Self.leastLength
        let following = parts.map(\.lowerBound).filter { $0 > start }.min() ?? size
        let range = start..<min(start + length, following, size)
        return loaded + range.count <= RemoteVideo.mostBytes ? range : nil
    }
}

/// The value of `Content-Range`: which bytes of how many (RFC 9110, 14.4).
struct ContentRange {
    let bytes: Range<Int>
    let size: Int

    /// Nil without the field, for several, for another unit, and for an unknown size.
    init?(_ field: String?) {
        guard let match = field?.wholeMatch(of: /bytes ([0-9]{1,18})-([0-9]{1,18})\/([0-9]{1,18})/),
            let first = Int(match.1), let last = Int(match.2), let size = Int(match.3),
            first <= last, last < size
        else { return nil }
        (bytes, self.size) = (first..<last + 1, size)
    }
}

/// Adds the fields that request a part, after the program's modifier.
private struct RangeModifier: AsyncImageDownloadRequestModifier {
    let base: (any AsyncImageDownloadRequestModifier)?
    let range: Range<Int>
    let condition: String?

    var onDownloadTaskStarted: (@Sendable (DownloadTask?) -> Void)? { base?.onDownloadTaskStarted }

    func modified(for request: URLRequest) async -> URLRequest? {
        var request = request
        if let base {
            guard let modified = await base.modified(for: request) else { return nil }
            request = modified
        }
        request.setValue("bytes=\(range.lowerBound)-\(range.upperBound - 1)", forHTTPHeaderField: "Range")
        request.setValue(condition, forHTTPHeaderField: "If-Range")
        // Ranges of compressed bytes would be other parts.
        request.setValue("identity", forHTTPHeaderField: "Accept-Encoding")
        return request
    }
}

/// Makes a pixel in the place of an image, as a download must make one; the bytes are what counts.
private struct PartProcessor: ImageProcessor {
    static let shared = PartProcessor()

    let identifier = "part"

    func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? {
        guard let pixel = try? PixelBuilder(size: PixelSize(width: 1, height: 1), alpha: .opaque) else {
            return nil
        }
        return Image(bitmap: pixel.freeze(), scale: 1)
    }
}
