import Alcedo
import AlcedoLocks

/// A running request whose response can be awaited.
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
                let response = OneShot<AFDataResponse<Value>, Never>()
                start { response.finish(.success($0)) }
                return await response.value()
            } onCancel: {
                request.cancel()
            }
        }
    }

    /// The response; suspends until it is complete.
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

    public var result: AFResult<Value> {
        get async { await response.result }
    }

    /// The value; throws the ``AFError`` of a failure.
    public var value: Value {
        get async throws { try await result.get() }
    }

    public func cancel() { task.cancel() }

    /// Starts the request; does nothing if it has started.
    public func resume() { request.resume() }

    /// Suspends the request; does nothing if it has started.
    public func suspend() { request.suspend() }
}
