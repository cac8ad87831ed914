import Foundation

/// One header field.
public struct HTTPHeader: Hashable, Sendable {
    /// The field name, case-insensitive.
    public let name: String

    public let value: String

    public init(name: String, value: String) {
        self.name = name
        self.value = value
    }

    public static func accept(_ value: String) -> HTTPHeader { HTTPHeader(name: "Accept", value: value) }

    public static func acceptLanguage(_ value: String) -> HTTPHeader {
        HTTPHeader(name: "Accept-Language", value: value)
    }

    public static func authorization(_ value: String) -> HTTPHeader {
        HTTPHeader(name: "Authorization", value: value)
    }

    /// An `Authorization` field with the Basic scheme.
    public static func authorization(username: String, password: String) -> HTTPHeader {
        authorization("Basic " + Data("\(username):\(password)".utf8).base64EncodedString())
    }

    public static func authorization(bearerToken: String) -> HTTPHeader {
        authorization("Bearer " + bearerToken)
    }

    public static func contentType(_ value: String) -> HTTPHeader {
        HTTPHeader(name: "Content-Type", value: value)
    }

    public static func userAgent(_ value: String) -> HTTPHeader {
        HTTPHeader(name: "User-Agent", value: value)
    }

    /// An `Accept-Language` field with the user's first six preferred languages, by preference.
    public static let defaultAcceptLanguage: HTTPHeader = {
        let languages = Locale.preferredLanguages.prefix(6).enumerated().map { index, language in
            "\(language);q=\(Double(10 - index) / 10)"
        }
        return .acceptLanguage(languages.joined(separator: ", "))
    }()

    /// A `User-Agent` field with the program's name.
    public static let defaultUserAgent = userAgent(ProcessInfo.processInfo.processName + " (Alcedo)")
}

extension HTTPHeader: CustomStringConvertible {
    /// The field as in HTTP/1.1: `Name: value`.
    public var description: String { "\(name): \(value)" }
}
