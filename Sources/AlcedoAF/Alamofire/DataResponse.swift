public import Alcedo
public import Foundation
public import FoundationNetworking

public typealias AFDataResponse<Success> = DataResponse<Success, AFError>

public typealias AFResult<Success> = Result<Success, AFError>

/// The response of a request with its serialized value.
public struct DataResponse<Success, Failure: Error> {
    /// The initial request; nil if it could not be created.
    public let request: URLRequest?

    /// The HTTP response; nil if there is none, as for a cached image or a file.
    public let response: HTTPURLResponse?

    /// The body; nil if it is empty.
    public let data: Data?

    /// The metrics of the transfer; nil if there was none.
    public let metrics: TaskMetrics?

    /// The duration of the serialization, in seconds.
    public let serializationDuration: TimeInterval

    public let result: Result<Success, Failure>

    public var value: Success? { try? result.get() }
    public var error: Failure? { if case .failure(let error) = result { error } else { nil } }

    /// Creates a response, for tests and for serializers of your own.
    public init(
        request: URLRequest?,
        response: HTTPURLResponse?,
        data: Data?,
        metrics: TaskMetrics?,
        serializationDuration: TimeInterval,
        result: Result<Success, Failure>
    ) {
        self.request = request
        self.response = response
        self.data = data
        self.metrics = metrics
        self.serializationDuration = serializationDuration
        self.result = result
    }

    public func map<NewSuccess>(_ transform: (Success) -> NewSuccess) -> DataResponse<NewSuccess, Failure> {
        with(result.map(transform))
    }

    public func mapError<NewFailure: Error>(
        _ transform: (Failure) -> NewFailure
    ) -> DataResponse<Success, NewFailure> { with(result.mapError(transform)) }

    private func with<NewSuccess, NewFailure: Error>(
        _ result: Result<NewSuccess, NewFailure>
    ) -> DataResponse<NewSuccess, NewFailure> {
        DataResponse<NewSuccess, NewFailure>(
            request: request,
            response: response,
            data: data,
            metrics: metrics,
            serializationDuration: serializationDuration,
            result: result
        )
    }
}

extension DataResponse: Sendable where Success: Sendable {}

extension DataResponse: CustomStringConvertible {
    /// The result, without user info and signed queries of URLs.
    public var description: String { "\(result)".redactingURLs }
}
