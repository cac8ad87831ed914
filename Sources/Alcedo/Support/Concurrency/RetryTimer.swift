import AlcedoLocks
import Dispatch
package import Foundation

/// Calls a block after some seconds, synchronously for 0; returns a closure that cancels it.
package typealias RetryTimer =
    @Sendable (TimeInterval, @escaping @Sendable () -> Void) -> @Sendable () -> Void

package let retryTimer: RetryTimer = { seconds, block in
    guard seconds > 0 else {
        block()
        return {}
    }
    let timer = OneShotTimer(after: seconds, on: .global(), block)
    return { timer.cancel() }
}

/// A timer that fires once; cancelling it releases its block.
final class OneShotTimer: Sendable {
    private let source: DispatchSourceHandle
    private let block: OnceCallback<Void>

    init(after seconds: TimeInterval, on queue: DispatchQueue, _ block: @escaping @Sendable () -> Void) {
        let timer = DispatchSource.makeTimerSource(queue: queue)
        source = DispatchSourceHandle(value: timer)
        self.block = OnceCallback(block)
        timer.schedule(deadline: .now() + max(0, seconds))
        // Retains itself until it fires or is cancelled.
        timer.setEventHandler { [self] in fire() }
        timer.activate()
    }

    func cancel() {
        block.drop()
        source.value.cancel()
    }

    private func fire() {
        source.value.cancel()
        block.call(())
    }
}
