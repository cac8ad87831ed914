import AlcedoIsolation
package import AlcedoPixels
package import AlcedoTransport
package import Foundation

/// A video that is elsewhere, of which only the parts are loaded that a frame needs.
///
/// A worker decodes what is there. Where it lacks a part it stops, the part is requested with `Range`, and the worker starts
/// again. So it needs no access to the network, and a part is requested only because a decoder has tried to read it: the
/// headers, the index, which may be at the end, and what lies between the key frame before and the frame.
package struct PartialVideo: Sendable {
    /// What names the video in errors, and tells it from others.
    let address: String
    let seconds: Double
    let limits: DecodeLimits

    /// The most bytes that are loaded, and kept in memory meanwhile.
    let byteLimit: Int

    /// Whether a time after the end gives the last frame; otherwise it is an error.
    let clampsTime: Bool

    /// A minute of 1080p as cameras write it.
    package static let mostBytes = 64 << 20

    /// Each is a request, and a run of the decoder.
    static let mostParts = 64

    /// Bytes that the first request is for.
    package static let firstLength = 256 << 10

    package init(
        at address: String, seconds: Double, limits: DecodeLimits, byteLimit: Int = Self.mostBytes,
        clampsTime: Bool = false
    ) {
        (self.address, self.seconds, self.limits) = (address, seconds, limits)
        (self.byteLimit, self.clampsTime) = (min(byteLimit, Self.mostBytes), clampsTime)
    }

    /// A request for a part.
    package struct PartRequest: Sendable {
        let range: Range<Int>

        /// The tag of the file, if it is a strong one.
        let condition: String?

        /// The most bytes of the response; a server without ranges sends the whole video to the first request.
        package let byteLimit: Int

        package var isFirst: Bool { range.lowerBound == 0 }

        package var headers: [(name: String, value: String)] {
            let range = (name: "Range", value: "bytes=\(range.lowerBound)-\(range.upperBound - 1)")
            // Ranges of compressed bytes would be other parts.
            return [range, (name: "Accept-Encoding", value: "identity")]
                + (condition.map { [(name: "If-Range", value: $0)] } ?? [])
        }
    }

    /// The response to a request for a part.
    package struct PartResponse: Sendable {
        let response: TransportResponse?
        let body: Data

        /// The response is nil if the body is not from a server; then it is the whole video.
        package init(_ response: TransportResponse?, body: Data) {
            (self.response, self.body) = (response, body)
        }
    }

    /// Loads and decodes.
    ///
    /// - Parameters:
    ///   - load: loads a part; called for one after the other.
    ///   - decode: runs a job on a thread that may wait for a worker process.
    /// - Returns: the frame.
    /// - Throws: what `load` and `decode` throw, a ``TransportError`` or a ``CodecError``.
    package func frame(
        load: (PartRequest) async throws -> PartResponse,
        decode: (@escaping @Sendable () -> DecodeResult) async throws -> DecodeResult
    ) async throws -> Bitmap {
        var plan = PartPlan()
        plan.mostBytes = byteLimit
        var request = PartRequest(range: plan.first, condition: nil, byteLimit: byteLimit)
        let first = try part(of: try await load(request), to: request)
        plan.size = first.size
        plan.add(0..<first.bytes.count)
        let file = try SparseFile(size: first.size)
        try file.write(first.bytes, at: 0)
        var time = seconds
        while true {
            let options = DecodeOptions {
                ($0.time, $0.keepsStraightAlpha, $0.limits) = (time, true, limits)
                $0.partialFile = name(of: first) + plan.name
            }
            switch try await decode({ DecodeResult(of: file, options) }).result {
            case .success(.value(let bitmap)): return bitmap
            case .success(.lacksPart(let offset)):
                guard let range = plan.next(at: offset) else {
                    throw TransportError.tooLarge(limit: byteLimit, url: address)
                }
                request = PartRequest(range: range, condition: first.condition, byteLimit: range.count)
                let next = try part(of: try await load(request), to: request, continuing: first)
                try file.write(next.bytes, at: range.lowerBound)
                plan.add(range)
            case .failure(.noFrame(_, let end)) where clampsTime && end < time: time = end
            case .failure(let error): throw error
            }
        }
    }

    /// What a run of the decoder has led to.
    package struct DecodeResult: Sendable {
        let result: Result<SparseFile.Outcome<Bitmap>, CodecError>

        fileprivate init(of file: SparseFile, _ options: DecodeOptions) {
            result = Result { () throws(CodecError) in
                try file.outcome { descriptor throws(CodecError) in
                    try videoFrames.decode(descriptor, options: options)
                }
            }
        }
    }

    /// What tells the file from others, so that one that ends its workers is not decoded again each time.
    private func name(of part: Part) -> [UInt8] {
        Array("\(address) \(part.size) \(part.validators)".utf8)
    }

    // MARK: - Parts

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

    private func part(
        of response: PartResponse, to request: PartRequest, continuing first: Part
    ) throws(TransportError) -> Part {
        let part = try part(of: response, to: request)
        guard part.bytes.count == request.range.count, part.size == first.size,
            part.validators == first.validators
        else { throw hasChanged }
        return part
    }

    private func part(of response: PartResponse, to request: PartRequest) throws(TransportError) -> Part {
        let (bytes, range) = (response.body, request.range)
        guard let response = response.response, response.status == 206 else {
            return Part(bytes: bytes, size: bytes.count, validators: [nil, nil])
        }
        guard let content = ContentRange(response.value(forHeader: "content-range")),
            content.bytes.lowerBound == range.lowerBound, content.bytes.count == bytes.count,
            content.bytes.upperBound == min(range.upperBound, content.size)
        else { throw malformed("its Content-Range is not what was requested: bytes \(range)") }
        let validators = ["etag", "last-modified"].map { response.value(forHeader: $0) }
        return Part(bytes: bytes, size: content.size, validators: validators)
    }

    /// The error of a file that is another one by now.
    package var hasChanged: TransportError {
        malformed("the file has changed while parts of it were loaded; load it again")
    }

    private func malformed(_ reason: String) -> TransportError {
        .malformedResponse(reason: reason, url: address)
    }
}

/// Which parts of a file are there, and which one is loaded next.
struct PartPlan {
    /// Of all parts.
    var mostBytes = PartialVideo.mostBytes

    /// Of the file, in bytes.
    var size = 0

    private var parts: [Range<Int>] = []
    private var length = leastLength

    private static let leastLength = PartialVideo.firstLength
    private static let mostLength = 4 << 20

    /// The first part: the headers of most files, and all of a short one.
    var first: Range<Int> { 0..<Self.leastLength }

    /// Reports how much has been loaded.
    var name: [UInt8] { Array(" \(parts.count)".utf8) }

    private var loaded: Int { parts.reduce(0) { $0 + $1.count } }

    mutating func add(_ range: Range<Int>) { parts.append(range) }

    /// The part to load where the decoder lacks the byte at `offset`; nil beyond the limits, or if it is there.
    ///
    /// It has twice the length of the part before if it continues that, as a search for a frame does; up to 4 MiB.
    mutating func next(at offset: Int) -> Range<Int>? {
        let start = offset / SparseFile.alignment * SparseFile.alignment
        guard parts.count < PartialVideo.mostParts, !parts.contains(where: { $0.contains(start) }) else {
            return nil
        }
        length = parts.last?.upperBound == start ? min(length * 2, Self.mostLength) : Self.leastLength
        let following = parts.map(\.lowerBound).filter { $0 > start }.min() ?? size
        let range = start..<min(start + length, following, size)
        return loaded + range.count <= mostBytes ? range : nil
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
