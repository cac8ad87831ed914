import AlcedoLocks
import AlcedoTransport
import Foundation

/// The settings of a downloader; may be changed at any time.
struct DownloaderSettings: Sendable {
    var downloadTimeout: TimeInterval = 15
    var queueTimeout: TimeInterval = 0
    var trustedHosts: Set<String>?
    var resumableDownloads: ResumableDownloads?
    var addressPolicy = AddressPolicy.any
    var delegate = WeakDelegate()
    var responder = WeakResponder()
    /// The settings of the session configuration; a configuration is created only when the program reads it.
    var session = SessionSettings()
    var sessionDelegate = SessionDelegate()
    var requestsUsePipelining = false
    var isNetworkConstrained: (@Sendable () -> Bool)?

    /// Shares a responder's decisions about servers; replaced with each new responder.
    var trustScope = TrustScope()

    /// Whether a responder or a session delegate decides about servers and credentials.
    var hasResponder: Bool { responder.value != nil || sessionDelegate.isCustom }
}

/// A weak reference to a delegate.
///
/// Safe because the reference itself is only changed under the downloader's lock; the delegate's methods are called
/// on several threads, as Kingfisher's are.
struct WeakDelegate: @unchecked Sendable {
    weak var value: (any ImageDownloaderDelegate)?
}

/// A weak reference to a responder.
///
/// Safe because the reference itself is only changed under the downloader's lock; its methods are asynchronous.
struct WeakResponder: @unchecked Sendable {
    weak var value: (any AuthenticationChallengeResponsible)?
}
