public import Foundation
public import FoundationNetworking

/// Creates a value from a response's body.
public protocol ResponseSerializer<SerializedObject>: Sendable {
    associatedtype SerializedObject: Sendable

    /// Status codes whose responses may have no body.
    var emptyResponseCodes: Set<Int> { get }

    /// Methods whose responses may have no body.
    var emptyRequestMethods: Set<HTTPMethod> { get }

    /// Returns the value, or throws; called on a thread for the program's serializers, which it may block.
    func serialize(
        request: URLRequest?, response: HTTPURLResponse?, data: Data?, error: (any Error)?
    ) throws -> SerializedObject
}

extension ResponseSerializer {
    /// 204 (No Content) and 205 (Reset Content).
    public static var defaultEmptyResponseCodes: Set<Int> { [204, 205] }

    /// Only HEAD, whose responses never have a body.
    public static var defaultEmptyRequestMethods: Set<HTTPMethod> { [.head] }

    /// 204 (No Content) and 205 (Reset Content).
    public var emptyResponseCodes: Set<Int> { Self.defaultEmptyResponseCodes }

    /// Only HEAD, whose responses never have a body.
    public var emptyRequestMethods: Set<HTTPMethod> { Self.defaultEmptyRequestMethods }

    /// Whether the request's method allows a response without a body; nil without a request.
    public func requestAllowsEmptyResponseData(_ request: URLRequest?) -> Bool? {
        request?.httpMethod.map { emptyRequestMethods.contains(HTTPMethod(rawValue: $0)) }
    }

    /// Whether the response's status allows a response without a body; nil without a response.
    public func responseAllowsEmptyResponseData(_ response: HTTPURLResponse?) -> Bool? {
        (response?.statusCode).map(emptyResponseCodes.contains)
    }

    /// Whether the request's method or the response's status allows a response without a body.
    public func emptyResponseAllowed(
        forRequest request: URLRequest?, response: HTTPURLResponse?
    ) -> Bool {
        requestAllowsEmptyResponseData(request) == true || responseAllowsEmptyResponseData(response) == true
    }
}
