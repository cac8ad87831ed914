import AlcedoTransport
import Foundation
import FoundationNetworking

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
