package import AlcedoLocks

/// Loads `http` and `https` URLs with libcurl, and `file` and `data` URLs locally.
public final class StandardTransport: Transport {
    /// The default transport, with one network thread.
    public static let shared = StandardTransport()

    private let remote: any Transport
    private let local: any Transport

    /// A transport that combines two others, one for each kind of URL.
    public init(remote: any Transport = CurlTransport(), local: any Transport = LocalTransport()) {
        self.remote = remote
        self.local = local
    }

    /// Counts libcurl's bodies that have yet to be processed.
    package var backpressure: Backpressure? { (remote as? CurlTransport)?.backpressure }

    @discardableResult
    public func start(_ request: TransportRequest, handler: any TransportHandler) -> any TransportTask {
        let transport = LocalScheme(of: request.address) == nil ? remote : local
        return transport.start(request, handler: handler)
    }
}
