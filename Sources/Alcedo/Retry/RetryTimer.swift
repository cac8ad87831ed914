import AlcedoLocks
import Dispatch
package import Foundation

/// Calls a block after some seconds, at once after none; returns what ends the wait for that.
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

/// A timer that fires once; once it is cancelled nothing is left of it.
final class OneShotTimer: Sendable {
    private let source: DispatchSourceHandle
    private let block: OnceCallback<Void>

    init(after seconds: TimeInterval, on queue: DispatchQueue, _ block: @escaping @Sendable () -> Void) {
        let timer = DispatchSource.makeTimerSource(queue: queue)
        source = DispatchSourceHandle(value: timer)
        self.block = OnceCallback(block)
        timer.schedule(deadline: .now() + max(0, seconds))
        // It keeps itself until it is over.
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
