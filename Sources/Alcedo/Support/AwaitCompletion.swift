/// Runs a callback form as an async one: cancelling the calling task cancels the download task.
///
/// - Throws: `CancellationError` if the task is cancelled already; `asyncTaskContextCancelled` if it is cancelled before
///   there is a transfer to cancel; else what the callback was given.
func awaitCompletion<Value: Sendable>(
    _ start: (@escaping @Sendable (Result<Value, KingfisherError>) -> Void) -> DownloadTask
) async throws -> Value {
    try Task.checkCancellation()
    let outcome = OneShot<Value, KingfisherError>()
    let handle = DownloadTask()
    return try await withTaskCancellationHandler {
        handle.link(to: start { outcome.finish($0) })
        return try await outcome.value()
    } onCancel: {
        let hasTransfer = handle.isInitialized
        handle.cancel()
        if !hasTransfer { outcome.finish(.failure(.requestError(reason: .asyncTaskContextCancelled))) }
    }
}
