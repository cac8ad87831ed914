public import Foundation
public import FoundationNetworking

extension DataRequest {
    /// Hands over the response's bytes as they are, and starts the request.
    ///
    /// - Parameters:
    ///   - queue: where the handler is called.
    ///   - completionHandler: called exactly once; its value is nil for a response without a body.
    /// - Returns: the request.
    @discardableResult
    public func response(
        queue: DispatchQueue = .main,
        completionHandler: @escaping @Sendable (AFDataResponse<Data?>) -> Void
    ) -> Self {
        response(queue: queue, responseSerializer: PassingSerializer(), completionHandler: completionHandler)
    }

    /// Hands over the response's bytes, and starts the request.
    ///
    /// - Parameters:
    ///   - queue: where the handler is called.
    ///   - emptyResponseCodes: statuses that may come without a body; its value is empty then.
    ///   - emptyRequestMethods: methods whose responses may have no body.
    ///   - completionHandler: called exactly once.
    /// - Returns: the request.
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

/// Hands over bytes as they are, and complains if there are none.
public final class DataResponseSerializer: ResponseSerializer {
    /// Statuses that may come without a body.
    public let emptyResponseCodes: Set<Int>

    /// Methods whose responses may have no body.
    public let emptyRequestMethods: Set<HTTPMethod>

    /// Makes a serializer.
    public init(
        emptyResponseCodes: Set<Int> = DataResponseSerializer.defaultEmptyResponseCodes,
        emptyRequestMethods: Set<HTTPMethod> = DataResponseSerializer.defaultEmptyRequestMethods
    ) {
        self.emptyResponseCodes = emptyResponseCodes
        self.emptyRequestMethods = emptyRequestMethods
    }

    /// The bytes; throws `error`, and ``AFError/ResponseSerializationFailureReason/inputDataNilOrZeroLength`` if there are
    /// none where there should be some.
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

/// Hands over whatever there is.
private struct PassingSerializer: ResponseSerializer {
    func serialize(
        request: URLRequest?, response: HTTPURLResponse?, data: Data?, error: (any Error)?
    ) throws -> Data? {
        if let error { throw error }
        return data
    }
}
