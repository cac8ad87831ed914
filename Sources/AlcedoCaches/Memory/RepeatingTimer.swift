import AlcedoLocks
import Dispatch
import Foundation

/// Calls a block periodically on a global queue, until the timer is released.
final class RepeatingTimer: Sendable {
    private let source: DispatchSourceHandle

    /// Starts; nil unless `interval`, in seconds, is positive.
    init?(every interval: TimeInterval, _ block: @escaping @Sendable () -> Void) {
        guard interval > 0 else { return nil }
        let source = DispatchSource.makeTimerSource(queue: .global(qos: .utility))
        let period = DispatchTimeInterval.milliseconds(Int(min(max(interval, 0.001), 1e9) * 1000))
        source.schedule(deadline: .now() + period, repeating: period, leeway: .milliseconds(100))
        source.setEventHandler(handler: block)
        source.resume()
        self.source = DispatchSourceHandle(value: source)
    }

    deinit { source.value.cancel() }
}
