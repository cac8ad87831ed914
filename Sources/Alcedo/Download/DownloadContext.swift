import Foundation
package import FoundationNetworking

/// What a load, or another of Alcedo's own callers, sets for a download beside the options.
///
/// Coalesced transfers use the first caller's where noted.
package struct DownloadContext: Sendable {
    /// Identifies the load; nil for a download without one.
    var loadID: Int?

    var events: LoadEvents?
    package var progress: ProgressCallback?
    package var onDataReceived: [any DataReceivingSideEffect] = []

    /// Whether the completion runs the program's code on the thread that calls it; nil: decided by the callback queue.
    package var completionMayBlock: Bool?

    /// Whether responses of any status reach the processor; the first caller's.
    package var acceptsAnyStatus = false

    /// The response to the server's first challenge; part of the key of coalesced transfers.
    package var credential: URLCredential?

    /// The load's source, which a loader or a modifier may have replaced by the URL.
    var source: Source?

    /// Runs a callback that must precede the load's completion.
    var announce: @Sendable (_ callback: () -> Void) -> Void = { $0() }

    /// The cached response that the load revalidates; nil for none.
    var revalidation: Revalidation?

    /// The time by the clock of the load's cache, for a pass without one; nil for that of the target cache.
    var now: (@Sendable () -> Date)?

    /// Whether the load that a pass is part of has an image modifier, which the pass lacks.
    var modifiesImage = false

    package init() {}
}
