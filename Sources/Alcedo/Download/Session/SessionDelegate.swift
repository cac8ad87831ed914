public import Foundation
public import FoundationNetworking

/// Watches and steers a downloader's transfers, as a URLSession's delegate does.
///
/// Transfers don't need it: they ask a delegate only if it is of a subclass. An override that calls `super` adds to
/// what the downloader does; one that doesn't takes its place where it returns something, and changes nothing where it
/// is only told. The session is no URLSession at work, and the task is the transfer's
/// ``SessionDataTask/task``. Called on any thread; one that takes its time holds back the loads of its downloader alone.
/// Safe because it has no state; a subclass answers for what it adds.
open class SessionDelegate: NSObject, @unchecked Sendable {
    /// Makes a delegate that leaves everything to the downloader.
    public override init() {}

    // MARK: - URLSessionDataDelegate

    /// The response's head is here; the body waits for the answer.
    ///
    /// Checks the status and asks the downloader's delegate.
    open func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive response: URLResponse
    ) async -> URLSession.ResponseDisposition {
        guard let handler = (dataTask as? FoundationDataTask)?.handler else { return .allow }
        return await handler.accepts(response) ? .allow : .cancel
    }

    /// A piece of the body has come; does nothing.
    open func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {}

    /// The transfer is over, with an error or well, and the callers are told next; does nothing.
    open func urlSession(
        _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {}

    /// The server redirects: the request to follow, or nil to take the redirect itself as the response.
    ///
    /// Asks the callers' redirect handler.
    open func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest
    ) async -> URLRequest? {
        guard let handler = (task as? FoundationDataTask)?.handler else { return request }
        return await handler.redirection(response, to: request)
    }

    // MARK: - Authentication

    /// Whether to trust a server; asks the downloader's `authenticationChallengeResponder`.
    open func urlSession(
        _ session: URLSession,
        didReceive challenge: URLAuthenticationChallenge
    ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
        guard let downloader = (challenge.protectionSpace as? DownloaderProtectionSpace)?.downloader else {
            return (.performDefaultHandling, nil)
        }
        let responder: any AuthenticationChallengeResponsible =
            downloader.authenticationChallengeResponder ?? downloader
        return await responder.downloader(downloader, didReceive: challenge)
    }

    /// Which credential to send; asks the downloader's `authenticationChallengeResponder`.
    open func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge
    ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
        guard let downloader = (task as? FoundationDataTask)?.owner?.downloader,
            let responder = downloader.authenticationChallengeResponder
        else { return (.performDefaultHandling, nil) }
        return await responder.downloader(downloader, task: task, didReceive: challenge)
    }

    /// How the transfer went is known: `metrics` has it as ``FoundationNetworking/URLSessionTaskMetrics/measured``.
    ///
    /// Does nothing. Foundation's own properties of it can't be set and are empty.
    open func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didFinishCollecting metrics: URLSessionTaskMetrics
    ) {}

    /// What methods are told is the session.
    static let session = {
        FoundationFolders.makePrivate()
        return URLSession(configuration: .ephemeral)
    }()
}

extension SessionDelegate: URLSessionDataDelegate {}

extension SessionDelegate {
    /// Whether it is more than the class itself, and so has to be asked.
    var isCustom: Bool { type(of: self) != SessionDelegate.self }
}
