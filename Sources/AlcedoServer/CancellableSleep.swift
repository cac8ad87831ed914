import Alcedo
import AlcedoLocks
import Dispatch

/// Waits like `Task.sleep(for:)`, but frees its memory when the task is cancelled.
///
/// Swift keeps the job of a cancelled sleep until its time is over: a kilobyte and more for each request, for all of
/// `TIMEOUT`.
func cancellableSleep(for duration: Duration) async throws(CancellationError) {
    let end = OneShot<Void, CancellationError>()
    let timer = DispatchSource.makeTimerSource(queue: .global())
    timer.setEventHandler { end.finish(.success(())) }
    timer.schedule(deadline: .now() + max(0, duration / .seconds(1)))
    timer.activate()
    defer { timer.cancel() }
    let result = await withTaskCancellationHandler {
        do throws(CancellationError) {
            return Result<Void, CancellationError>.success(try await end.value())
        } catch {
            return .failure(error)
        }
    } onCancel: {
        end.finish(.failure(CancellationError()))
    }
    try result.get()
}

/// Waits until `deadline`, and frees its memory when the task is cancelled.
func cancellableSleep(until deadline: ContinuousClock.Instant) async throws(CancellationError) {
    try await cancellableSleep(for: deadline - .now)
}

/// Runs `work`, which is cancelled at `deadline`, and with the task.
func cancelling<Value: Sendable>(
    at deadline: ContinuousClock.Instant, _ work: @escaping @Sendable () async -> Value
) async -> Value {
    let task = Task { await work() }
    let timer = Task {
        // Cancelled at the end of the work.
        guard (try? await cancellableSleep(until: deadline)) != nil else { return }
        task.cancel()
    }
    defer { timer.cancel() }
    return await withTaskCancellationHandler {
        await task.value
    } onCancel: {
        task.cancel()
    }
}
