import Dispatch

/// A sendable dispatch source.
///
/// Safe because dispatch sources may be resumed and cancelled on any thread.
struct DispatchSourceHandle: @unchecked Sendable {
    let value: any DispatchSourceProtocol
}
