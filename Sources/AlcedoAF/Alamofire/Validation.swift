public import Foundation
public import FoundationNetworking

extension DataRequest {
    /// Validates a response; an error replaces the result.
    public typealias Validation =
        @Sendable (URLRequest?, HTTPURLResponse, Data?) -> Result<Void, any Error>

    /// Adds a validation of the response; it runs before serialization, on a thread that it may block.
    ///
    /// Applies to HTTP responses only. The first error is reported.
    @discardableResult
    public func validate(_ validation: @escaping Validation) -> Self {
        add(validation, isOwn: true)
        return self
    }

    /// Accepts only these status codes.
    @discardableResult
    public func validate<S: Sequence & Sendable>(statusCode acceptable: S) -> Self where S.Element == Int {
        add { _, response, _ in
            guard !acceptable.contains(response.statusCode) else { return .success(()) }
            return .failure(
                AFError.responseValidationFailed(reason: .unacceptableStatusCode(code: response.statusCode)))
        }
        return self
    }

    /// Accepts only these content types, in which `*` is a wildcard.
    @discardableResult
    public func validate<S: Sequence & Sendable>(
        contentType acceptable: @escaping @Sendable @autoclosure () -> S
    ) -> Self where S.Element == String {
        add { _, response, data in
            MediaTypes(acceptable()).validate(response, data)
        }
        return self
    }

    /// Accepts status codes from 200 to 299 and the content types of the request's `Accept` field.
    @discardableResult
    public func validate() -> Self {
        for validation in Self.defaultValidations { add(validation) }
        return self
    }

    static let defaultValidations: [Validation] = [
        { _, response, _ in
            guard !(200..<300).contains(response.statusCode) else { return .success(()) }
            return .failure(
                AFError.responseValidationFailed(reason: .unacceptableStatusCode(code: response.statusCode)))
        },
        { request, response, data in
            let accepted = request?.value(forHTTPHeaderField: "Accept") ?? "*/*"
            return MediaTypes(accepted.split(separator: ",").map(String.init)).validate(response, data)
        },
    ]
}

/// Media types, with or without parameters, in which `*` is a wildcard.
private struct MediaTypes {
    private let types: [String]

    init(_ types: some Sequence<String>) {
        self.types = types.map {
            $0.prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces).lowercased()
        }
    }

    func validate(_ response: HTTPURLResponse, _ data: Data?) -> Result<Void, any Error> {
        guard data?.isEmpty == false, !types.contains("*/*") else { return .success(()) }
        guard let type = response.contentType else {
            return .failure(
                AFError.responseValidationFailed(reason: .missingContentType(acceptableContentTypes: types)))
        }
        guard !types.contains(where: { Self.matches(type, pattern: $0) }) else { return .success(()) }
        return .failure(
            AFError.responseValidationFailed(
                reason: .unacceptableContentType(acceptableContentTypes: types, responseContentType: type)))
    }

    private static func matches(_ type: String, pattern: String) -> Bool {
        let (type, pattern) = (type.split(separator: "/"), pattern.split(separator: "/"))
        guard type.count == 2, pattern.count == 2 else { return false }
        return zip(type, pattern).allSatisfy { $0 == $1 || $1 == "*" }
    }
}
