/// Calls a callback form as an async one; cancelling the calling task cancels the download task.
///
/// - Throws: `CancellationError` if the task was cancelled before; `asyncTaskContextCancelled` if it is cancelled and the
///   download task does not call back; else the callback's error.
func awaitCompletion<Value: Sendable>(
    _ start: (@escaping @Sendable (Result<Value, KingfisherError>) -> Void) -> DownloadTask
) async throws -> Value {
    try Task.checkCancellation()
    let outcome = OneShot<Value, KingfisherError>()
    let handle = DownloadTask()
    let end: @Sendable () -> Void = {
        outcome.finish(.failure(.requestError(reason: .asyncTaskContextCancelled)))
    }
    return try await withTaskCancellationHandler {
        if handle.link(to: start { outcome.finish($0) }) { end() }
        return try await outcome.value()
    } onCancel: {
        // If nothing is linked yet, `link` cancels and ends the wait.
        if handle.cancelWork() { end() }
    }
}
