import AlcedoHTTPServer

/// A request for an image, as the HTTP layer hands it over.
package struct ServedRequest: Sendable {
    /// The raw request target, with its query, not percent-decoded.
    package var target: String

    /// Whether only headers are asked for.
    package var isHead: Bool

    /// The header fields in order.
    package var headers: [(name: String, value: String)]

    /// Identifies the request in logs.
    package var id: String

    /// When the answer must be there.
    package var deadline: ContinuousClock.Instant

    package init(
        target: String, isHead: Bool = false, headers: [(name: String, value: String)] = [],
        id: String = "",
        deadline: ContinuousClock.Instant = .now + .seconds(10)
    ) {
        (self.target, self.isHead, self.headers) = (target, isHead, headers)
        (self.id, self.deadline) = (id, deadline)
    }

    /// The values of all fields called `name`, case-insensitively, joined by commas; nil if there is none.
    package func header(_ name: String) -> String? {
        let values = headers.lazy.filter { $0.name.equalsIgnoringCase(name) }.map(\.value)
        return values.isEmpty ? nil : values.joined(separator: ", ")
    }
}
