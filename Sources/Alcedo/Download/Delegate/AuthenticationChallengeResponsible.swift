public import FoundationNetworking

/// The former name of ``AuthenticationChallengeResponsible``.
@available(*, deprecated, renamed: "AuthenticationChallengeResponsible")
public typealias AuthenticationChallengeResponsable = AuthenticationChallengeResponsible

/// Handles challenges for credentials and server trust.
///
/// Called on threads for what decides during a transfer, which it may block; other transfers continue meanwhile. While it
/// decides, no timeout runs but the session configuration's for a resource. See <doc:YourCode>.
public protocol AuthenticationChallengeResponsible: AnyObject {
    /// Decides whether to trust a server; the challenge's `protectionSpace.serverTrust` has its certificates.
    ///
    /// `.useCredential` with any credential, usually `URLCredential(trust:)`, accepts the server whatever its
    /// certificates are; `.performDefaultHandling` verifies them; other dispositions end the transfer.
    /// By default servers in the downloader's `trustedHosts` are accepted and others verified.
    func downloader(
        _ downloader: ImageDownloader,
        didReceive challenge: URLAuthenticationChallenge
    ) async -> (URLSession.AuthChallengeDisposition, URLCredential?)

    /// Decides which credential to send for a Basic (RFC 7617) or Digest (RFC 7616) challenge.
    ///
    /// `.useCredential` sends the request again with the credential; `.cancelAuthenticationChallenge` ends the
    /// transfer; with other dispositions, as by default, the server's rejection is the response.
    func downloader(
        _ downloader: ImageDownloader,
        task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge
    ) async -> (URLSession.AuthChallengeDisposition, URLCredential?)
}

extension AuthenticationChallengeResponsible {
    public func downloader(
        _ downloader: ImageDownloader,
        didReceive challenge: URLAuthenticationChallenge
    ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
        let space = challenge.protectionSpace
        guard let trust = space.serverTrust, downloader.trustedHosts?.contains(space.host) == true else {
            return (.performDefaultHandling, nil)
        }
        return (.useCredential, URLCredential(trust: trust))
    }

    public func downloader(
        _ downloader: ImageDownloader,
        task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge
    ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
        (.performDefaultHandling, nil)
    }
}

extension ImageDownloader: AuthenticationChallengeResponsible {}
extension ImageDownloader: ImageDownloaderDelegate {}
