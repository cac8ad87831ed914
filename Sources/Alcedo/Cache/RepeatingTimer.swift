import Dispatch
import Foundation

/// Calls a block again and again, on a thread of its own choice, until the timer is let go.
///
/// Safe because its one constant is a dispatch source, which any thread may cancel.
final class RepeatingTimer: @unchecked Sendable {
    private let source: any DispatchSourceTimer

    /// Starts; nil unless `interval`, in seconds, is positive.
    init?(every interval: TimeInterval, _ block: @escaping @Sendable () -> Void) {
        guard interval > 0 else { return nil }
        source = DispatchSource.makeTimerSource(queue: .global(qos: .utility))
        let period = DispatchTimeInterval.milliseconds(Int(min(max(interval, 0.001), 1e9) * 1000))
        source.schedule(deadline: .now() + period, repeating: period, leeway: .milliseconds(100))
        source.setEventHandler(handler: block)
        source.resume()
    }

    deinit { source.cancel() }
}
