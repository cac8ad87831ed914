public import Alcedo
public import Foundation

/// A response of a ``MemoryTransport``: a status, headers and a body, or an error.
///
/// The methods return a changed copy, so they can be chained:
///
///     ScriptedResponse(body: png).inChunks(of: 1_000, each: gate)
public struct ScriptedResponse: Sendable {
    /// The HTTP status; 200 by default.
    public var status: Int

    /// The header fields, in order; none by default.
    public var headers: [(name: String, value: String)]

    /// The body; empty by default.
    public var body: Data

    /// Whether the response announces the length of its body; true by default.
    public var announcesLength = true

    /// The error that ends the transfer after the body; nil, the default, for none.
    var error: TransportError?

    /// Whether the transfer fails before the response's headers.
    var failsAtOnce = false

    /// The gate that the whole response waits at.
    var gate: Gate?

    /// The gate that each chunk waits at.
    var chunkGate: Gate?

    /// The bytes of a chunk; nil for a body in one chunk.
    var chunkBytes: Int?

    public init(status: Int = 200, headers: [(name: String, value: String)] = [], body: Data = Data()) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// A response of status 200 with an image, such as of ``Alcedo/Image/solid(width:height:color:)``.
    ///
    /// - Throws: `CodecError` if no codec encodes `format`.
    public static func image(
        _ image: KFCrossPlatformImage, as format: EncodedFormat = .png
    ) throws -> ScriptedResponse {
        ScriptedResponse(body: try image.data(as: format))
    }

    /// A transfer that fails with `error` before a response.
    public static func failure(_ error: TransportError) -> ScriptedResponse {
        var response = ScriptedResponse()
        response.error = error
        response.failsAtOnce = true
        return response
    }

    /// The response once `gate` admits it; cancelling the transfer ends the wait.
    public func held(until gate: Gate) -> ScriptedResponse {
        changed { $0.gate = gate }
    }

    /// The body in chunks of so many bytes, at least 1; the last may have fewer.
    ///
    /// `gate` must admit each chunk, by a permit or because it is open.
    public func inChunks(of bytes: Int, each gate: Gate? = nil) -> ScriptedResponse {
        precondition(bytes > 0, "a chunk has at least one byte")
        return changed { response in
            response.chunkBytes = bytes
            response.chunkGate = gate
        }
    }

    /// The response with a connection that breaks: the transfer fails with `error` after the body.
    public func failing(with error: TransportError) -> ScriptedResponse {
        changed { $0.error = error }
    }

    var chunks: [Data] {
        let bytes = chunkBytes ?? max(body.count, 1)
        return stride(from: body.startIndex, to: body.endIndex, by: bytes).map {
            body[$0..<min($0 + bytes, body.endIndex)]
        }
    }

    private func changed(_ change: (inout ScriptedResponse) -> Void) -> ScriptedResponse {
        var response = self
        change(&response)
        return response
    }
}
