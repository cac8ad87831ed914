public import Foundation
public import FoundationNetworking

extension DataRequest {
    /// Adds a handler for the unprocessed response, and starts the request.
    ///
    /// The handler is called exactly once, on `queue`; its value is nil for a response without a body.
    @discardableResult
    public func response(
        queue: DispatchQueue = .main,
        completionHandler: @escaping @Sendable (AFDataResponse<Data?>) -> Void
    ) -> Self {
        response(queue: queue, responseSerializer: PassingSerializer(), completionHandler: completionHandler)
    }

    /// Adds a handler for the response's body, and starts the request.
    ///
    /// The handler is called exactly once, on `queue`. The body may be missing in responses with one of the status codes or to
    /// one of the methods; the value is empty then.
    @discardableResult
    public func responseData(
        queue: DispatchQueue = .main,
        emptyResponseCodes: Set<Int> = DataResponseSerializer.defaultEmptyResponseCodes,
        emptyRequestMethods: Set<HTTPMethod> = DataResponseSerializer.defaultEmptyRequestMethods,
        completionHandler: @escaping @Sendable (AFDataResponse<Data>) -> Void
    ) -> Self {
        response(
            queue: queue,
            responseSerializer: DataResponseSerializer(
                emptyResponseCodes: emptyResponseCodes, emptyRequestMethods: emptyRequestMethods),
            completionHandler: completionHandler
        )
    }
}

extension DataRequest {
    /// A task for the response's body; starts the request.
    ///
    /// Cancelling the awaiting task cancels the request if `shouldAutomaticallyCancel` is true; for the other parameters see
    /// ``responseData(queue:emptyResponseCodes:emptyRequestMethods:completionHandler:)``.
    public func serializingData(
        automaticallyCancelling shouldAutomaticallyCancel: Bool = true,
        emptyResponseCodes: Set<Int> = DataResponseSerializer.defaultEmptyResponseCodes,
        emptyRequestMethods: Set<HTTPMethod> = DataResponseSerializer.defaultEmptyRequestMethods
    ) -> DataTask<Data> {
        serializingResponse(
            using: DataResponseSerializer(
                emptyResponseCodes: emptyResponseCodes, emptyRequestMethods: emptyRequestMethods),
            automaticallyCancelling: shouldAutomaticallyCancel
        )
    }
}

/// Returns the body unchanged; throws if an unexpectedly empty body is received.
public final class DataResponseSerializer: ResponseSerializer {
    public let emptyResponseCodes: Set<Int>
    public let emptyRequestMethods: Set<HTTPMethod>

    public init(
        emptyResponseCodes: Set<Int> = DataResponseSerializer.defaultEmptyResponseCodes,
        emptyRequestMethods: Set<HTTPMethod> = DataResponseSerializer.defaultEmptyRequestMethods
    ) {
        self.emptyResponseCodes = emptyResponseCodes
        self.emptyRequestMethods = emptyRequestMethods
    }

    /// Returns the body; throws `error`, or ``AFError/ResponseSerializationFailureReason/inputDataNilOrZeroLength``
    /// if the body is empty and must not be.
    public func serialize(
        request: URLRequest?, response: HTTPURLResponse?, data: Data?, error: (any Error)?
    ) throws -> Data {
        if let error { throw error }
        if let data, !data.isEmpty { return data }
        guard emptyResponseAllowed(forRequest: request, response: response) else {
            throw AFError.responseSerializationFailed(reason: .inputDataNilOrZeroLength)
        }
        return Data()
    }
}

/// Returns the body unchanged; nil if it is empty.
private struct PassingSerializer: ResponseSerializer {
    func serialize(
        request: URLRequest?, response: HTTPURLResponse?, data: Data?, error: (any Error)?
    ) throws -> Data? {
        if let error { throw error }
        return data
    }
}

extension ResponseSerializer {
    /// Whether it runs no code of the program's.
    var isOfLibrary: Bool {
        switch self {
        case is DataResponseSerializer, is PassingSerializer: true
        case let serializer as ImageResponseSerializer: type(of: serializer) == ImageResponseSerializer.self
        default: false
        }
    }
}
