/// Loads `http` and `https` through libcurl, and `file` and `data` by itself.
public final class StandardTransport: Transport {
    /// The one that programs use unless they make their own: one network thread for all.
    public static let shared = StandardTransport()

    private let remote: any Transport
    private let local: any Transport

    /// A transport whose two halves may be replaced.
    public init(remote: any Transport = CurlTransport(), local: any Transport = LocalTransport()) {
        self.remote = remote
        self.local = local
    }

    /// What has come through libcurl and waits.
    package var backpressure: Backpressure? { (remote as? CurlTransport)?.backpressure }

    /// Starts a transfer with whichever half knows the URL's scheme; see ``Transport/start(_:handler:)``.
    @discardableResult
    public func start(_ request: TransportRequest, handler: any TransportHandler) -> any TransportTask {
        let transport = LocalScheme(of: request.url) == nil ? remote : local
        return transport.start(request, handler: handler)
    }
}
