import AlcedoLocks
import AlcedoWaiting
import Dispatch
import Foundation

/// Swift's cooperative pool, whose threads tasks run on.
public enum CooperativePool {
    /// Whether a task starts while `count` blocks wait and tasks occupy all threads of the pool but one.
    ///
    /// - Parameters:
    ///   - count: the number of blocks.
    ///   - priority: the tasks' priority; each has threads of its own.
    ///   - start: has another thread call its argument, which returns when this function has; called `count` times.
    /// - Returns: false also if the blocks or those tasks did not start within 300 s each.
    public static func hasThread(
        beside count: Int, priority: TaskPriority = .medium,
        _ start: @escaping @Sendable (_ wait: @escaping @Sendable () -> Void) -> Void
    ) async -> Bool {
        await withCheckedContinuation { continuation in
            // A thread of its own, which waits for events without a task.
            Thread {
                let (event, isOver, gate) = (DispatchSemaphore(value: 0), CallCounter(), Gate())
                func hasEvents(_ count: Int) -> Bool {
                    (0..<count).allSatisfy { _ in event.wait(timeout: .now() + 300) == .success }
                }
                let busy = width - 1
                for _ in 0..<busy {
                    Task.detached(priority: priority) {
                        event.signal()
                        while isOver.value == 0 {}
                    }
                }
                var hasThread = hasEvents(busy)
                for _ in 0..<count where hasThread {
                    start {
                        event.signal()
                        gate.wait()
                    }
                }
                hasThread = hasThread && hasEvents(count)
                Task.detached(priority: priority) { event.signal() }
                hasThread = hasThread && hasEvents(1)
                isOver.increment()
                gate.open()
                continuation.resume(returning: hasThread)
            }.start()
        }
    }

    private static var width: Int { ProcessorCount.ofSwift }
}
