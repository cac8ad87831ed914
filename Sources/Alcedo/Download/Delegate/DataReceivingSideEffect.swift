package import Foundation

/// An observer of a download's received bytes.
package protocol DataReceivingSideEffect: AnyObject, Sendable {
    /// Called with all bytes so far, on the transport's thread; must return soon.
    func download(_ task: SessionDataTask, didReceive data: Data)
}
