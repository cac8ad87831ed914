public import FoundationNetworking

/// The former name of ``AuthenticationChallengeResponsible``.
@available(*, deprecated, renamed: "AuthenticationChallengeResponsible")
public typealias AuthenticationChallengeResponsable = AuthenticationChallengeResponsible

/// Handles challenges for credentials and server trust.
///
/// Called on threads for what decides during a transfer, which it may block; other transfers continue meanwhile. While it
/// decides, no timeout runs but the session configuration's for a resource. See <doc:YourCode>.
///
/// Each decision has an asynchronous form and one with a completion handler, as Kingfisher 7 has it: implement one of them. The
/// asynchronous form is called; by default it calls the other.
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

    /// Decides whether to trust a server; the form with a completion handler, which is called once, on any thread.
    func downloader(
        _ downloader: ImageDownloader,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    )

    /// Decides which credential to send; the form with a completion handler, which is called once, on any thread.
    func downloader(
        _ downloader: ImageDownloader,
        task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    )
}

extension AuthenticationChallengeResponsible {
    public func downloader(
        _ downloader: ImageDownloader,
        didReceive challenge: URLAuthenticationChallenge
    ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
        let decision = await awaitingHandler(SessionDecision()) { handler in
            self.downloader(downloader, didReceive: challenge) {
                handler(SessionDecision(disposition: $0, credential: $1))
            }
        }
        return (decision.disposition, decision.credential)
    }

    public func downloader(
        _ downloader: ImageDownloader,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        let space = challenge.protectionSpace
        guard let trust = space.serverTrust, downloader.trustedHosts?.contains(space.host) == true else {
            return completionHandler(.performDefaultHandling, nil)
        }
        completionHandler(.useCredential, URLCredential(trust: trust))
    }

    public func downloader(
        _ downloader: ImageDownloader,
        task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge
    ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
        let decision = await awaitingHandler(SessionDecision()) { handler in
            self.downloader(downloader, task: task, didReceive: challenge) {
                handler(SessionDecision(disposition: $0, credential: $1))
            }
        }
        return (decision.disposition, decision.credential)
    }

    public func downloader(
        _ downloader: ImageDownloader,
        task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        completionHandler(.performDefaultHandling, nil)
    }
}

private struct SessionDecision: Sendable {
    var disposition = URLSession.AuthChallengeDisposition.performDefaultHandling
    var credential: URLCredential?
}

extension ImageDownloader: AuthenticationChallengeResponsible {}
extension ImageDownloader: ImageDownloaderDelegate {}
