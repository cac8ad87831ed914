import Foundation

/// One header field.
public struct HTTPHeader: Hashable, Sendable {
    /// What it is called; case does not matter.
    public let name: String

    /// What it says.
    public let value: String

    /// A field of any name.
    public init(name: String, value: String) {
        self.name = name
        self.value = value
    }

    /// The types that are accepted.
    public static func accept(_ value: String) -> HTTPHeader { HTTPHeader(name: "Accept", value: value) }

    /// The languages that are accepted.
    public static func acceptLanguage(_ value: String) -> HTTPHeader {
        HTTPHeader(name: "Accept-Language", value: value)
    }

    /// A credential in words of its own.
    public static func authorization(_ value: String) -> HTTPHeader {
        HTTPHeader(name: "Authorization", value: value)
    }

    /// A name and a password, sent with the first request.
    public static func authorization(username: String, password: String) -> HTTPHeader {
        authorization("Basic " + Data("\(username):\(password)".utf8).base64EncodedString())
    }

    /// A bearer token.
    public static func authorization(bearerToken: String) -> HTTPHeader {
        authorization("Bearer " + bearerToken)
    }

    /// The type of the body.
    public static func contentType(_ value: String) -> HTTPHeader {
        HTTPHeader(name: "Content-Type", value: value)
    }

    /// The program that asks.
    public static func userAgent(_ value: String) -> HTTPHeader {
        HTTPHeader(name: "User-Agent", value: value)
    }

    /// The user's languages, up to six, the first one first.
    public static let defaultAcceptLanguage: HTTPHeader = {
        let languages = Locale.preferredLanguages.prefix(6).enumerated().map { index, language in
            "\(language);q=\(Double(10 - index) / 10)"
        }
        return .acceptLanguage(languages.joined(separator: ", "))
    }()

    /// The program's name.
    public static let defaultUserAgent = userAgent(ProcessInfo.processInfo.processName + " (Alcedo)")
}

extension HTTPHeader: CustomStringConvertible {
    /// `Name: value`.
    public var description: String { "\(name): \(value)" }
}
