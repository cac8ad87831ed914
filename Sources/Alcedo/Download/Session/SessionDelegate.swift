public import Foundation
public import FoundationNetworking

/// Observes and controls a downloader's transfers, like a URLSession's delegate.
///
/// Only subclasses are called. An override of a method with a result replaces the downloader's decision, unless it calls
/// `super`; the other methods only observe. The session is a placeholder, and the task is the transfer's
/// ``SessionDataTask/task``. Called on threads that it may block; a slow delegate delays the loads of its downloader
/// only. Safe because it has no state; a subclass is responsible for its own.
open class SessionDelegate: NSObject, @unchecked Sendable {
    public override init() {}

    // MARK: - URLSessionDataDelegate

    /// Whether to receive the body of a response; it is paused until this returns.
    ///
    /// Checks the status and calls the downloader's delegate.
    open func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive response: URLResponse
    ) async -> URLSession.ResponseDisposition {
        guard let handler = (dataTask as? FoundationDataTask)?.handler else { return .allow }
        return await handler.accepts(response) ? .allow : .cancel
    }

    /// A part of the body has been received; does nothing.
    open func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {}

    /// The transfer has succeeded or failed; the completions are called next.
    ///
    /// Does nothing.
    open func urlSession(
        _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {}

    /// Returns the request for a redirect, or nil to make the redirect the final response.
    ///
    /// Calls the callers' redirect handler.
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

    /// Decides whether to trust a server; calls the downloader's `authenticationChallengeResponder`.
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

    /// Decides which credential to send; calls the downloader's `authenticationChallengeResponder`.
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

    /// The measurements are complete: ``FoundationNetworking/URLSessionTaskMetrics/measured`` of `metrics`.
    ///
    /// Does nothing. Foundation's own properties of `metrics` cannot be set and are empty.
    open func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didFinishCollecting metrics: URLSessionTaskMetrics
    ) {}

    static let session = {
        FoundationFolders.makePrivate()
        return URLSession(configuration: .ephemeral)
    }()
}

extension SessionDelegate: URLSessionDataDelegate {}

extension SessionDelegate {
    /// Whether it is of a subclass, whose methods are called.
    var isCustom: Bool { type(of: self) != SessionDelegate.self }
}
