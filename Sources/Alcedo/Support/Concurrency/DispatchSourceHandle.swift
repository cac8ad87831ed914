import Dispatch

/// A dispatch source.
///
/// Safe because these may be resumed and cancelled on any thread.
struct DispatchSourceHandle: @unchecked Sendable {
    let value: any DispatchSourceProtocol
}
