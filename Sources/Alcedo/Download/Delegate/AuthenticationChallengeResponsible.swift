public import FoundationNetworking

/// The former name of ``AuthenticationChallengeResponsible``.
@available(*, deprecated, renamed: "AuthenticationChallengeResponsible")
public typealias AuthenticationChallengeResponsable = AuthenticationChallengeResponsible

/// Answers servers that ask for a credential, and decides whether to trust them.
///
/// Called on any thread; transfers other than the one that asks go on meanwhile.
public protocol AuthenticationChallengeResponsible: AnyObject {
    /// Whether to trust a server, whose certificates are the challenge's `protectionSpace.serverTrust`.
    ///
    /// `.useCredential` with any credential, usually `URLCredential(trust:)`, accepts the server whatever its
    /// certificates are; `.performDefaultHandling` leaves it to their verification; the rest ends the transfer.
    /// By default servers in the downloader's `trustedHosts` are accepted and others verified.
    func downloader(
        _ downloader: ImageDownloader,
        didReceive challenge: URLAuthenticationChallenge
    ) async -> (URLSession.AuthChallengeDisposition, URLCredential?)

    /// Which credential to send to a server that asks for one, Basic (RFC 7617) or Digest (RFC 7616).
    ///
    /// `.useCredential` sends the request again with the credential; `.cancelAuthenticationChallenge` ends the
    /// transfer; with the rest, as by default, the server's refusal is the response.
    func downloader(
        _ downloader: ImageDownloader,
        task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge
    ) async -> (URLSession.AuthChallengeDisposition, URLCredential?)
}

extension AuthenticationChallengeResponsible {
    /// Accepts servers in the downloader's `trustedHosts`; others are verified.
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

    /// Sends no credential.
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
