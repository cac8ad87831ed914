public import Foundation

/// The status line and the headers of a response.
public struct TransportResponse: Sendable {
    /// The URL of the response: the last one after redirects.
    public let url: URL

    /// The HTTP status; 0 for `file` and `data`.
    public let status: Int

    /// `HTTP/1.1`, `HTTP/2` and so on; empty for `file` and `data`.
    public let httpVersion: String

    /// Bytes of the body; nil if the server does not announce them, or compresses it.
    public let expectedBytes: Int64?

    let block: HeaderBlock

    /// A response with `headers`, for transports other than libcurl's.
    public init(
        url: URL,
        status: Int,
        httpVersion: String = "",
        headers: [(name: String, value: String)] = [],
        expectedBytes: Int64? = nil
    ) {
        self.init(
            url: url, status: status, httpVersion: httpVersion, block: HeaderBlock(fields: headers),
            expectedBytes: expectedBytes)
    }

    init(url: URL, status: Int, httpVersion: String, block: HeaderBlock, expectedBytes: Int64?) {
        self.url = url
        self.status = status
        self.httpVersion = httpVersion
        self.block = block
        self.expectedBytes = expectedBytes
    }

    /// The header fields in order; read from the bytes at each call.
    public var headers: [(name: String, value: String)] { block.fields }

    /// The value of the first field called `name`, case-insensitively.
    public func value(forHeader name: String) -> String? { block.value(of: name) }

    /// The values of all fields called `name`, case-insensitively.
    func values(forHeader name: String) -> [String] { block.values(of: name) }
}
