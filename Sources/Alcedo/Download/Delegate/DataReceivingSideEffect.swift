package import Foundation

/// Something to do with a download's bytes as they come.
package protocol DataReceivingSideEffect: AnyObject, Sendable {
    /// Told of all bytes so far, on the transport's thread: it must return soon.
    func download(_ task: SessionDataTask, didReceive data: Data)
}
