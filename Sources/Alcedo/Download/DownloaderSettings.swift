import AlcedoLocks
import AlcedoTransport
import Foundation

/// What can be set on a downloader while it works.
struct DownloaderSettings: Sendable {
    var downloadTimeout: TimeInterval = 15
    var queueTimeout: TimeInterval = 0
    var trustedHosts: Set<String>?
    var addressPolicy = AddressPolicy.any
    var delegate = WeakDelegate()
    var responder = WeakResponder()
    /// What a session configuration asks for; of Foundation's own none is made before somebody wants to see it.
    var session = SessionSettings()
    var sessionDelegate = SessionDelegate()
    var requestsUsePipelining = false
    var isNetworkConstrained: (@Sendable () -> Bool)?

    /// Shares what a responder has decided about servers; a new responder decides anew.
    var trustScope = TrustScope()

    /// Whether somebody wants to decide about servers and credentials.
    var hasResponder: Bool { responder.value != nil || sessionDelegate.isCustom }
}

/// A delegate, not kept alive.
///
/// Safe because the reference itself is only changed under the downloader's lock; the delegate's methods are called
/// on several threads, as Kingfisher's are.
struct WeakDelegate: @unchecked Sendable {
    weak var value: (any ImageDownloaderDelegate)?
}

/// A responder, not kept alive.
///
/// Safe because the reference itself is only changed under the downloader's lock; its methods are asynchronous.
struct WeakResponder: @unchecked Sendable {
    weak var value: (any AuthenticationChallengeResponsible)?
}
