import AlcedoPixels

/// What a document and the SVGs in its pictures take of the limits together.
///
/// A class, because the documents count in turn.
final class SVGTotals {
    private var sums: [String: Double] = [:]
    private var pixels = 0
    private var bytes = 0
    private var expandedBytes = 0
    private var elements = 0

    /// When the whole drawing has to be done.
    let deadline: Deadline

    init(_ limits: DecodeLimits) { deadline = Deadline(limits) }

    /// Adds work, which `what` names with its unit; throws if it is more than `limit` together.
    func add(_ value: Double, limit: Double, _ what: String) throws(CodecError) {
        let sum = sums[what, default: 0] + value
        sums[what] = sum
        try Self.check(sum, limit: limit, what)
    }

    func add(pixels more: Int, limits: DecodeLimits) throws(CodecError) {
        pixels += more
        guard pixels <= limits.pixelsPerFrame else {
            throw .limitExceeded(.pixels, value: pixels, limit: limits.pixelsPerFrame)
        }
    }

    /// How many bytes the text of the next SVG in a picture may have.
    var bytesLeft: Int { max(0, SVGBytes.most - bytes) }

    /// Adds the text of an SVG in a picture.
    func add(bytes more: Int) throws(CodecError) { try Self.add(more, to: &bytes) }

    /// Adds text in which an entity was replaced, also if it is not kept.
    func add(expandedBytes more: Int) throws(CodecError) { try Self.add(more, to: &expandedBytes) }

    private static func add(_ more: Int, to bytes: inout Int) throws(CodecError) {
        bytes += more
        guard bytes <= SVGBytes.most else {
            throw .limitExceeded(.encodedBytes, value: bytes, limit: SVGBytes.most)
        }
    }

    /// Adds an element, also of an SVG that is left out.
    func addElement() throws(CodecError) {
        elements += 1
        guard elements <= SVGWork.mostElementsRead else {
            throw .unsupported(
                .svg, reason: "it has more than \(SVGWork.mostElementsRead) elements, with SVGs in it")
        }
    }

    static func check(_ value: Double, limit: Double, _ what: String) throws(CodecError) {
        if value <= limit { return }
        // Infinity times zero is no number, and too much.
        let (value, limit) = (Int(value < 1e18 ? value : 1e18), Int(limit))
        throw .unsupported(.svg, reason: "\(what): \(value), the limit is \(limit)")
    }
}
