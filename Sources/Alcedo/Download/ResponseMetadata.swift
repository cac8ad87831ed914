import AlcedoTransport
public import Foundation

/// The head of the response that an image was created from.
public struct ResponseMetadata: Sendable {
    private enum Content {
        case received(TransportResponse)
        case stored(StoredResponse)
    }

    public let statusCode: Int

    /// When the response was received, or last confirmed by its server.
    public let fetched: Date

    private let content: Content

    init(_ fetched: FetchedResponse) {
        statusCode = fetched.response.status
        self.fetched = fetched.received
        content = .received(fetched.response)
    }

    init(_ record: ResponseRecord) {
        statusCode = record.response.status
        fetched = record.response.received
        content = .stored(record.response)
    }

    /// The header fields in order; read from the response at each call.
    ///
    /// A cache does not keep cookies and fields of the connection.
    public var headers: [(name: String, value: String)] {
        switch content {
        case .received(let response): response.headers
        case .stored(let response): response.headers.map { ($0.name, $0.value) }
        }
    }

    /// The value of the first field called `name`, case-insensitively; nil without one.
    public func value(forHeader name: String) -> String? {
        switch content {
        case .received(let response): response.value(forHeader: name)
        case .stored(let response): response.value(name.lowercased())
        }
    }
}
