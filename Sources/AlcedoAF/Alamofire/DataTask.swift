/// The value of a response, to be awaited.
public struct DataTask<Value: Sendable>: Sendable {
    private let request: DataRequest
    private let task: Task<AFDataResponse<Value>, Never>
    private let automaticallyCancels: Bool

    init(
        _ request: DataRequest,
        automaticallyCancels: Bool,
        _ start: @escaping @Sendable (@escaping @Sendable (AFDataResponse<Value>) -> Void) -> Void
    ) {
        self.request = request
        self.automaticallyCancels = automaticallyCancels
        task = Task {
            await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    start { continuation.resume(returning: $0) }
                }
            } onCancel: {
                request.cancel()
            }
        }
    }

    /// The response, when it is there.
    public var response: AFDataResponse<Value> {
        get async {
            guard automaticallyCancels else { return await task.value }
            return await withTaskCancellationHandler {
                await task.value
            } onCancel: {
                cancel()
            }
        }
    }

    /// The value, or why there is none.
    public var result: AFResult<Value> {
        get async { await response.result }
    }

    /// The value; throws an ``AFError`` if there is none.
    public var value: Value {
        get async throws { try await result.get() }
    }

    /// Ends the request.
    public func cancel() { task.cancel() }

    /// Starts the request, unless that has happened.
    public func resume() { request.resume() }

    /// Holds the request back, if it has not begun.
    public func suspend() { request.suspend() }
}
