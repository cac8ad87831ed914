import AlcedoTransport
import Foundation

// What `print` shows of values that contain whole responses: one line, and no credential of a URL or a header field.

extension Source: CustomStringConvertible {
    /// The URL, or the provider's cache key.
    public var description: String {
        switch self {
        case .network(let resource): ShownURL(resource.downloadURL.absoluteString).description
        case .provider(let provider): provider.cacheKey.redactingURLs
        }
    }
}

extension KF.ImageResource: CustomStringConvertible {
    public var description: String { ShownURL(downloadURL.absoluteString).description }
}

extension RetrieveImageResult: CustomStringConvertible {
    /// The image, where it was, and its source.
    public var description: String {
        let place = tier == .none ? "loaded from" : "from \(tier), of"
        return "\(image), \(place) \(source)" + (isStale ? ", stale" : "")
    }
}

extension ImageLoadingResult: CustomStringConvertible {
    /// The image, its bytes and its URL.
    public var description: String {
        let origin = url.map { " of \(ShownURL($0.absoluteString))" } ?? ""
        return "\(image), \(originalData.count) bytes\(origin)"
    }
}

extension ResponseMetadata: CustomStringConvertible {
    /// The status and the date.
    public var description: String { "status \(statusCode) of \(fetched.formatted(.iso8601))" }
}

extension NetworkMetrics: CustomStringConvertible {
    /// The status, the bytes and the time.
    public var description: String {
        let status = httpStatusCode.map { "status \($0), " } ?? ""
        return "\(status)\(responseBodyBytesReceived) bytes in \(totalRequestDuration) s"
    }
}

extension PropagationError: CustomStringConvertible {
    /// The source, and why it failed.
    public var description: String { "\(source): \(error)" }
}

extension ImageLoadEvent: CustomStringConvertible {
    /// The load, its source and the stage's name.
    public var description: String { "load \(loadID) of \(source): \(stage.name)" }
}

extension ImageLoadRequest: CustomStringConvertible {
    public var description: String { "request for \(source)" }
}

extension KingfisherParsedOptionsInfo: CustomStringConvertible {
    /// The processor, if it is none of the default.
    public var description: String {
        processor.identifier.isEmpty ? "options" : "options with \(processor.identifier)"
    }
}

extension Base64ImageDataProvider: CustomStringConvertible {
    /// The cache key and the length of the text.
    public var description: String {
        "\(cacheKey.redactingURLs), \(base64String.utf8.count) bytes of base 64"
    }
}

extension KF.RedirectPayload: CustomStringConvertible {
    /// The status, and where the redirect leads.
    public var description: String {
        "status \(response.statusCode) to \(ShownURL(newRequest.url?.absoluteString ?? "no URL"))"
    }
}
