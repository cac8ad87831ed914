import AlcedoLocks

/// Calls a callback form as an async one; cancelling the calling task cancels the download task.
///
/// Calls it on `threads`, if it runs code of the program's there.
///
/// - Throws: `CancellationError` if the task was cancelled before; `asyncTaskContextCancelled` if it is cancelled and the
///   download task does not call back; else the callback's error.
func awaitCompletion<Value: Sendable>(
    on threads: ProgramThreads? = nil,
    _ start:
        @escaping @Sendable (@escaping @Sendable (Result<Value, KingfisherError>) -> Void) -> DownloadTask
) async throws -> Value {
    try Task.checkCancellation()
    let outcome = OneShot<Value, KingfisherError>()
    let handle = DownloadTask()
    let end: @Sendable () -> Void = {
        outcome.finish(.failure(.requestError(reason: .asyncTaskContextCancelled)))
    }
    return try await withTaskCancellationHandler {
        let call: @Sendable () -> Void = {
            // Cancelled while it waited for a thread.
            guard !handle.isCancelled else { return end() }
            if handle.link(to: start { outcome.finish($0) }) { end() }
        }
        if let threads { threads.async(call) } else { call() }
        return try await outcome.value()
    } onCancel: {
        // If nothing is linked yet, `link` cancels and ends the wait; but the program's code may never let it.
        if handle.cancelWork() || threads != nil { end() }
    }
}
