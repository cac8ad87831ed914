import AlcedoTransport
import Foundation
import FoundationNetworking

// Challenges: server trust and credentials.

extension ImageTransferHandler {
    func transfer(
        didReceiveTrust trust: ServerTrust, decide: @escaping @Sendable (TrustAnswer) -> Void
    ) {
        let challenge = URLAuthenticationChallenge(
            DownloaderProtectionSpace(trust, for: downloader), failures: 0, proposal: nil, response: nil)
        Task(executorPreference: downloader.delegateThreads) { [downloader] in
            let (disposition, credential) = await downloader.sessionDelegate.urlSession(
                SessionDelegate.session, didReceive: challenge)
            switch disposition {
            case .useCredential: decide(credential == nil ? .byDefault : .accept)
            case .cancelAuthenticationChallenge, .rejectProtectionSpace: decide(.refuse)
            default: decide(.byDefault)
            }
        }
    }

    func transfer(
        didReceiveChallenge received: HTTPChallenge, decide: @escaping @Sendable (ChallengeAnswer) -> Void
    ) {
        let decide: @Sendable (ChallengeAnswer) -> Void = { [exchange] answer in
            if case .use = answer, !received.isProxy { exchange.authenticate() }
            decide(answer)
        }
        let space = DownloaderProtectionSpace(received, for: downloader)
        // The stored credential is offered once, because it would be refused again.
        let stored = received.previousFailures == 0 ? downloader.storedCredential(for: space) : nil
        guard downloader.hasChallengeResponder else { return decide(ChallengeAnswer(stored)) }
        let challenge = URLAuthenticationChallenge(
            space, failures: received.previousFailures, proposal: stored,
            response: received.response.httpResponse(url: url))
        Task(executorPreference: downloader.delegateThreads) { [downloader, task] in
            let (disposition, credential) = await downloader.sessionDelegate.urlSession(
                SessionDelegate.session, task: task.task, didReceive: challenge)
            switch disposition {
            case .useCredential: decide(ChallengeAnswer(credential))
            case .cancelAuthenticationChallenge: decide(.cancel)
            case .rejectProtectionSpace: decide(.goOnWithout)
            default: decide(ChallengeAnswer(challenge.proposedCredential))
            }
        }
    }
}

extension ChallengeAnswer {
    init(_ credential: URLCredential?) {
        self = credential.flatMap(TransportCredential.init).map(Self.use) ?? .goOnWithout
    }
}

extension TransportCredential {
    /// The name and the password; nil if the credential is of another kind.
    init?(_ credential: URLCredential) {
        guard let user = credential.user, let password = credential.password else { return nil }
        self.init(user: user, password: password)
    }
}

extension URLAuthenticationChallenge {
    convenience init(
        _ space: URLProtectionSpace, failures: Int, proposal: URLCredential?, response: URLResponse?
    ) {
        self.init(
            protectionSpace: space, proposedCredential: proposal, previousFailureCount: failures,
            failureResponse: response, error: nil, sender: NoOpChallengeSender.shared)
    }
}
