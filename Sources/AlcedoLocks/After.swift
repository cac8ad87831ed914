import Dispatch
package import Foundation

/// Runs `body` after a time, on one of Dispatch's threads.
package func after(_ seconds: TimeInterval, _ body: @escaping @Sendable () -> Void) {
    DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + max(0, seconds), execute: body)
}
