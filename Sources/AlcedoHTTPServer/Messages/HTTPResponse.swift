package import Foundation

/// A response to a request.
///
/// The server adds `Content-Length`, `Date` and `Connection`.
package struct HTTPResponse: Sendable {
    package var status: Int
    package var headers: HTTPHeaders
    /// The content; of a response to HEAD only the length is sent.
    package var body: Data
    /// Called once when the response has been sent or can't be, on a thread of the server.
    package var onEnd: (@Sendable (HTTPEnd) -> Void)?

    package init(
        status: Int, headers: HTTPHeaders = HTTPHeaders(), body: Data = Data(),
        onEnd: (@Sendable (HTTPEnd) -> Void)? = nil
    ) {
        self.status = status
        self.headers = headers
        self.body = body
        self.onEnd = onEnd
    }

    /// A response of plain text.
    package init(status: Int, text: String) {
        self.init(
            status: status, headers: ["Content-Type": "text/plain; charset=utf-8"], body: Data(text.utf8))
    }
}

/// How the sending of a response ended.
package enum HTTPEnd: Sendable, Equatable {
    case sent
    /// The client closed the connection or took too long.
    case aborted
    /// Its headers exceed ``HTTPServerLimits/responseHeaderBytes``: an empty response of status 500 takes
    /// its place.
    case unsendable
}
