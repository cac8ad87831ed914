package import Dispatch

/// Safe because dispatch sources may be resumed and cancelled on any thread.
package struct DispatchSourceHandle: @unchecked Sendable {
    package let value: any DispatchSourceProtocol

    package init(value: any DispatchSourceProtocol) { self.value = value }
}
