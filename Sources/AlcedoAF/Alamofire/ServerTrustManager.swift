/// Alamofire's decisions about certificates, which are Alcedo's settings here.
@available(
    *, unavailable, message: "Set Session.trustedHosts, or a challenge responder of Alcedo.ImageDownloader."
)
public final class ServerTrustManager: Sendable {}

/// Alamofire's protocol of decisions about certificates.
@available(
    *, unavailable, message: "Set Session.trustedHosts, or a challenge responder of Alcedo.ImageDownloader."
)
public protocol ServerTrustEvaluating {}
