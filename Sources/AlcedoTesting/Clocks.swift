public import Alcedo
public import AlcedoWaiting
import Foundation

extension ImageDownloader {
    /// Creates a downloader in a time of its own: a manual clock decides when its `failureMemory` forgets, and when its
    /// `startRate` lets the next download start.
    ///
    /// - Parameters:
    ///   - name: the name, which must not be empty.
    ///   - transport: the transport, such as a ``MemoryTransport``.
    ///   - clock: the clock.
    public convenience init(name: String, transport: any Transport, clock: ManualClock) {
        self.init(name: name, transport: transport)
        setClock(now: { clock.now.offset }, timer: clock.timer)
    }
}

extension DelayRetryStrategy {
    /// Creates a strategy whose delays are those of a manual clock: wait for its sleeper, then advance it.
    public init(maxRetryCount: Int, retryInterval: Interval = .seconds(3), clock: ManualClock) {
        self.init(maxRetryCount: maxRetryCount, retryInterval: retryInterval, timer: clock.timer)
    }
}

extension ManualClock {
    /// Calls a block once the clock has advanced by so many seconds; returns what cancels that.
    fileprivate var timer: @Sendable (TimeInterval, @escaping @Sendable () -> Void) -> @Sendable () -> Void {
        { [self] seconds, block in
            // Read now: the clock may advance before the task runs.
            let deadline = now.advanced(by: .seconds(seconds))
            let task = Task {
                do { try await sleep(until: deadline) } catch { return }
                block()
            }
            return { task.cancel() }
        }
    }
}
