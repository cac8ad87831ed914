import AlcedoTransport
import Foundation
public import FoundationNetworking

// Names of server trust that Foundation lacks on Linux, for code from other platforms.

/// A server's certificates, and the result of their verification.
public typealias SecTrust = ServerTrust

/// The authentication method of a challenge that is about a server's certificates.
public let NSURLAuthenticationMethodServerTrust = "NSURLAuthenticationMethodServerTrust"

extension URLProtectionSpace {
    /// The server's certificates, leaf first; nil for other challenges.
    public var serverTrust: ServerTrust? { (self as? DownloaderProtectionSpace)?.trust }
}

extension URLCredential {
    public convenience init(trust: ServerTrust) {
        self.init(user: "", password: "", persistence: .none)
    }
}

/// The protection space of a downloader's challenge.
///
/// Safe because it does not change after `init`.
final class DownloaderProtectionSpace: URLProtectionSpace, @unchecked Sendable {
    weak var downloader: ImageDownloader?
    private(set) var trust: ServerTrust?

    convenience init(_ trust: ServerTrust, for downloader: ImageDownloader) {
        self.init(
            host: trust.host, port: trust.port, protocol: NSURLProtectionSpaceHTTPS, realm: nil,
            authenticationMethod: NSURLAuthenticationMethodServerTrust)
        self.trust = trust
        self.downloader = downloader
    }

    convenience init(_ challenge: HTTPChallenge, for downloader: ImageDownloader) {
        let method =
            switch challenge.scheme {
            case .basic: NSURLAuthenticationMethodHTTPBasic
            case .digest: NSURLAuthenticationMethodHTTPDigest
            }
        if challenge.isProxy {
            self.init(
                proxyHost: challenge.host, port: challenge.port, type: NSURLProtectionSpaceHTTPProxy,
                realm: challenge.realm, authenticationMethod: method)
        } else {
            self.init(
                host: challenge.host, port: challenge.port, protocol: challenge.urlScheme,
                realm: challenge.realm, authenticationMethod: method)
        }
        self.downloader = downloader
    }
}

/// The sender of challenges, whose methods do nothing: decisions are return values here.
final class NoOpChallengeSender: NSObject, URLAuthenticationChallengeSender, Sendable {
    static let shared = NoOpChallengeSender()

    func use(_ credential: URLCredential, for challenge: URLAuthenticationChallenge) {}
    func continueWithoutCredential(for challenge: URLAuthenticationChallenge) {}
    func cancel(_ challenge: URLAuthenticationChallenge) {}
    func performDefaultHandling(for challenge: URLAuthenticationChallenge) {}
    func rejectProtectionSpaceAndContinue(with challenge: URLAuthenticationChallenge) {}
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

extension ChallengeDecision {
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
