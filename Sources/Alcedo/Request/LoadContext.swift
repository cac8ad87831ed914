import AlcedoTransport
import Foundation
package import FoundationNetworking

/// The state of one load, which its options carry through caches, downloader and processors.
///
/// It is empty in options that a program makes. Coalesced transfers use the first caller's where noted.
package struct LoadContext: Sendable {
    var events: LoadEvents?

    /// Identifies the load; nil for a download without one.
    private(set) var loadID: Int?
    package var progress: ProgressCallback?
    package var onDataReceived: [any DataReceivingSideEffect] = []

    /// Whether the completion runs the program's code on the thread that calls it; nil: decided by the callback queue.
    package var completionMayBlock: Bool?

    /// Whether responses of any status reach the processor; the first caller's.
    package var acceptsAnyStatus = false

    /// The response to the server's first challenge; part of the key of coalesced transfers.
    package var credential: URLCredential?

    /// The transfer whose bytes a processor gets; nil for bytes from elsewhere.
    package internal(set) var transfer: SessionDataTask?

    /// The source that is processed; nil before there are bytes.
    var source: Source?

    /// Whether the image is decoded before it is stored, to store no damaged one.
    var checksPixels = false

    /// Whether the image is decoded at the size of a view only, so that it may have more pixels than may be decoded.
    var decodesReduced = false

    /// Receives the reason why a processor of Alcedo failed.
    var codecFailure: CodecFailure?

    /// Runs a callback that must precede the load's completion; nil for a download without a load.
    var announce: (@Sendable (_ callback: () -> Void) -> Void)?

    /// False once the load was cancelled, or its view loads another image; nil means always current.
    package var isCurrent: (@Sendable () -> Bool)?

    /// Whether the original of a processed image was removed meanwhile, so that it must not be stored.
    var isSuperseded: (@Sendable () -> Bool)?

    /// Whether the cache may drop the store if too many bytes wait for the disk.
    var isStoreOptional = false

    /// Whether to store the bytes of the source as they are, instead of the image.
    var storesOnlyBytes = false

    /// Receives the result of storing the image, before the load completes with `waitForCache`.
    var stored: (@Sendable (CacheStoreResult) -> Void)?

    /// Receives the image's encoded bytes, which the shared cache gets too.
    var encoded: (@Sendable (Data) -> Void)?

    /// The right to store the image in the shared cache, for a load that renews it there.
    var sharedFetch: SharedFetch?

    /// The cached response that a load revalidates; nil for none.
    var revalidation: Revalidation?

    /// Whether a stale image is revalidated before it is used, regardless of `stale-while-revalidate`.
    var revalidatesFirst = false

    /// The time by the clock of the load's cache, for a pass without one; nil for that of the target cache.
    var now: (@Sendable () -> Date)?

    /// Whether a store belongs to the key's response, so that its record is kept.
    var keepsResponse = false

    /// Counts stores that wait for the disk, so that downloads wait too.
    var storeBackpressure: Backpressure?

    /// Whether the load that a pass is part of has an image modifier, which the pass lacks.
    var modifiesImage = false
}

extension LoadContext {
    /// Gives a load its number, and its events if it has observers.
    mutating func begin(_ source: Source, for observers: [any ImageLoadObserver]) {
        let id = LoadEvents.nextID()
        loadID = id
        events = LoadEvents(of: source, for: observers, id: id)
    }
}
