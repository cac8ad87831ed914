import AlcedoTransport
import Foundation
import FoundationNetworking

// What a server asks, and what it is.

extension ImageTransfer {
    func transfer(
        didReceiveTrust trust: ServerTrust, decide: @escaping @Sendable (TrustAnswer) -> Void
    ) {
        let challenge = URLAuthenticationChallenge(
            AskingSpace(trust, for: downloader), failures: 0, proposal: nil, response: nil)
        Task { [downloader] in
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
        didReceiveChallenge asked: HTTPChallenge, decide: @escaping @Sendable (ChallengeAnswer) -> Void
    ) {
        let space = AskingSpace(asked, for: downloader)
        // What the configuration has for this is offered once; it would be refused again.
        let stored = asked.previousFailures == 0 ? downloader.storedCredential(for: space) : nil
        guard downloader.asksForCredentials else { return decide(ChallengeAnswer(stored)) }
        let challenge = URLAuthenticationChallenge(
            space, failures: asked.previousFailures, proposal: stored,
            response: asked.response.httpResponse(url: url))
        Task { [downloader, task] in
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
            failureResponse: response, error: nil, sender: SilentSender.shared)
    }
}
