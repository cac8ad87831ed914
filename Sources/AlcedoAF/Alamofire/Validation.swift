public import Foundation
public import FoundationNetworking

extension DataRequest {
    /// Judges a response; an error takes the place of the result.
    public typealias Validation =
        @Sendable (URLRequest?, HTTPURLResponse, Data?) -> Result<Void, any Error>

    /// Judges the response before anything is made of it; called on a worker thread.
    ///
    /// Only HTTP responses are judged. The first error counts.
    @discardableResult
    public func validate(_ validation: @escaping Validation) -> Self {
        add(validation)
        return self
    }

    /// Accepts these statuses only.
    @discardableResult
    public func validate<S: Sequence & Sendable>(statusCode acceptable: S) -> Self where S.Element == Int {
        validate { _, response, _ in
            guard !acceptable.contains(response.statusCode) else { return .success(()) }
            return .failure(
                AFError.responseValidationFailed(reason: .unacceptableStatusCode(code: response.statusCode)))
        }
    }

    /// Accepts these types only, in which `*` stands for anything.
    @discardableResult
    public func validate<S: Sequence & Sendable>(
        contentType acceptable: @escaping @Sendable @autoclosure () -> S
    ) -> Self where S.Element == String {
        validate { _, response, data in
            MediaTypes(acceptable()).judge(response, data)
        }
    }

    /// Accepts statuses from 200 to 299, and the types that the request's `Accept` names.
    @discardableResult
    public func validate() -> Self {
        for validation in Self.usualValidations { add(validation) }
        return self
    }

    /// What ``validate()`` asks for.
    static let usualValidations: [Validation] = [
        { _, response, _ in
            guard !(200..<300).contains(response.statusCode) else { return .success(()) }
            return .failure(
                AFError.responseValidationFailed(reason: .unacceptableStatusCode(code: response.statusCode)))
        },
        { request, response, data in
            let accepted = request?.value(forHTTPHeaderField: "Accept") ?? "*/*"
            return MediaTypes(accepted.split(separator: ",").map(String.init)).judge(response, data)
        },
    ]
}

/// Types with or without parameters, in which `*` stands for anything.
private struct MediaTypes {
    private let types: [String]

    init(_ types: some Sequence<String>) {
        self.types = types.map {
            $0.prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces).lowercased()
        }
    }

    func judge(_ response: HTTPURLResponse, _ data: Data?) -> Result<Void, any Error> {
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
