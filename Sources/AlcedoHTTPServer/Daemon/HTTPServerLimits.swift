/// Limits for the clients of a server.
package struct HTTPServerLimits: Sendable {
    /// Threads that read requests and send responses.
    package var threads = 2
    /// Open connections; further ones wait in the system's queue until one is closed.
    package var connections = 2048
    /// Bytes of a request line with its headers; more are rejected with 414 or 431.
    package var headerBytes = 16 << 10
    /// Bytes of a response's headers; instead of more, an empty 500 is sent.
    ///
    /// They have to fit beside the request into the memory of a connection, which is ``headerBytes``:
    /// libmicrohttpd closes the connection without a response if they don't.
    package var responseHeaderBytes: Int { headerBytes / 3 }
    /// Time for a request line and its headers, in seconds.
    package var readTimeout = 10
    /// Time for sending a response, in seconds.
    package var writeTimeout = 10
    /// Time without a request after which a connection is closed, in seconds; 0 closes it after each response.
    package var keepAliveTimeout = 10

    package init() {}
}
