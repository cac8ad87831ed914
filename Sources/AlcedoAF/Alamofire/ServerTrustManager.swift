/// Alamofire's decisions about certificates, which are Alcedo's settings here.
@available(*, unavailable, message: "Set Session.trustedHosts, or a downloader's challenge responder.")
public final class ServerTrustManager: Sendable {}

/// Alamofire's protocol of decisions about certificates.
@available(*, unavailable, message: "Set Session.trustedHosts, or a downloader's challenge responder.")
public protocol ServerTrustEvaluating {}
