public import Alcedo
public import Foundation
public import FoundationNetworking

/// A response whose errors are Alamofire's.
public typealias AFDataResponse<Success> = DataResponse<Success, AFError>

/// A result whose errors are Alamofire's.
public typealias AFResult<Success> = Result<Success, AFError>

/// What came of a request.
public struct DataResponse<Success, Failure: Error> {
    /// What was sent first; nil if it could not be made.
    public let request: URLRequest?

    /// The server's answer; nil without one, as from a cache of images or a file.
    public let response: HTTPURLResponse?

    /// The bytes; nil if there are none.
    public let data: Data?

    /// How the transfer went; nil if there was none.
    public let metrics: TaskMetrics?

    /// Seconds that making the value of the bytes took.
    public let serializationDuration: TimeInterval

    /// The value, or why there is none.
    public let result: Result<Success, Failure>

    /// The value; nil if there is none.
    public var value: Success? { try? result.get() }

    /// Why there is no value; nil if there is one.
    public var error: Failure? { if case .failure(let error) = result { error } else { nil } }

    /// Puts a response together.
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

    /// The same response with another value.
    public func map<NewSuccess>(_ transform: (Success) -> NewSuccess) -> DataResponse<NewSuccess, Failure> {
        with(result.map(transform))
    }

    /// The same response with another error.
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
    /// The result.
    public var description: String { "\(result)" }
}
