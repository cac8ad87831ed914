import Alcedo
import AlcedoLocks
public import Foundation
public import FoundationNetworking

/// Creates an image from a response with an acceptable content type.
///
/// Safe because it is immutable; a subclass is responsible for its own state.
open class ImageResponseSerializer: ResponseSerializer, @unchecked Sendable {
    /// The default scale in pixels per point: ``DataRequest/imageScale``.
    public static var deviceScreenScale: CGFloat { DataRequest.imageScale }

    public internal(set) static var acceptableImageContentTypes: Set<String> {
        // Copied, because types are added in place (decision 0009); `Set(set)` would share its storage.
        get { acceptable.withLock { Set($0.map(\.self)) } }
        set { acceptable.withLock { $0 = newValue } }
    }

    private static let acceptable = Lock(standardContentTypes)

    /// The scale of the images in pixels per point.
    public let imageScale: CGFloat

    /// Whether images are decoded at once instead of on first use.
    public let inflateResponseImage: Bool

    public let emptyResponseCodes: Set<Int>
    public let emptyRequestMethods: Set<HTTPMethod>

    public init(
        imageScale: CGFloat = ImageResponseSerializer.deviceScreenScale,
        inflateResponseImage: Bool = true,
        emptyResponseCodes: Set<Int> = ImageResponseSerializer.defaultEmptyResponseCodes,
        emptyRequestMethods: Set<HTTPMethod> = ImageResponseSerializer.defaultEmptyRequestMethods
    ) {
        self.imageScale = imageScale
        self.inflateResponseImage = inflateResponseImage
        self.emptyResponseCodes = emptyResponseCodes
        self.emptyRequestMethods = emptyRequestMethods
    }

    open class func addAcceptableImageContentTypes(_ contentTypes: Set<String>) {
        acceptable.withLock { $0.formUnion(contentTypes) }
    }

    /// Throws an ``AFError`` if the content type is not acceptable; file and `data` URLs are not checked.
    open func validateContentType(for request: URLRequest?, response: HTTPURLResponse?) throws {
        if request?.url?.isFileURL == true || request?.url?.scheme?.lowercased() == "data" { return }
        let type = response?.contentType
        // Read under the lock, because types are added in place (decision 0009).
        let acceptableTypes = Self.acceptable.withLock { types -> [String]? in
            if let type, types.contains(type) { return nil }
            return types.sorted()
        }
        guard let acceptableTypes else { return }
        let reason: AFError.ResponseValidationFailureReason =
            if let type {
                .unacceptableContentType(acceptableContentTypes: acceptableTypes, responseContentType: type)
            } else {
                .missingContentType(acceptableContentTypes: acceptableTypes)
            }
        throw AFError.responseValidationFailed(reason: reason)
    }

    /// Creates the image; one transparent pixel for an empty body if that is allowed.
    ///
    /// - Throws: `error`, an ``AFError``, or the error of ``serializeImage(from:)``.
    open func serialize(
        request: URLRequest?, response: HTTPURLResponse?, data: Data?, error: (any Error)?
    ) throws -> Image {
        try check(request: request, response: response, data: data, error: error, then: serializeImage)
    }

    /// Creates the image, decoded if ``inflateResponseImage`` is true.
    ///
    /// - Throws: ``AFIError/imageSerializationFailed`` if the data is not an image or exceeds the decode limits.
    open func serializeImage(from data: Data) throws -> Image {
        let image = try undecodedImage(from: data)
        return inflateResponseImage ? try image.inflated() : image
    }
}

extension ImageResponseSerializer {
    /// Creates the image without decoding it, because a filter may need a reduced size only.
    func image(request: URLRequest, response: HTTPURLResponse?, data: Data) throws -> Image {
        guard type(of: self) == ImageResponseSerializer.self else {
            return try serialize(request: request, response: response, data: data, error: nil)
        }
        return try check(request: request, response: response, data: data, error: nil, then: undecodedImage)
    }

    private func check(
        request: URLRequest?,
        response: HTTPURLResponse?,
        data: Data?,
        error: (any Error)?,
        then make: (Data) throws -> Image
    ) throws -> Image {
        if let error { throw error }
        guard let data, !data.isEmpty else {
            guard emptyResponseAllowed(forRequest: request, response: response) else {
                throw AFError.responseSerializationFailed(reason: .inputDataNilOrZeroLength)
            }
            return try Image.clearPixel(scale: imageScale)
        }
        try validateContentType(for: request, response: response)
        return try make(data)
    }

    private func undecodedImage(from data: Data) throws -> Image {
        guard let image = Image(data: data, scale: imageScale) else {
            throw AFIError.imageSerializationFailed
        }
        return image
    }

    private static var standardContentTypes: Set<String> {
        let types: Set<String> = [
            "application/octet-stream", "image/bmp", "image/gif", "image/ico", "image/jpeg", "image/jpg",
            "image/png", "image/vnd.microsoft.icon", "image/x-bmp", "image/x-icon", "image/x-ms-bmp",
            "image/x-win-bitmap", "image/webp",
        ]
        return types.union(OptionalFormat.all.flatMap(\.mediaTypes))
    }
}

extension Image {
    /// Decodes the image; throws ``AFIError/imageSerializationFailed`` if it is damaged.
    func inflated() throws -> Image {
        guard (try? bitmap()) != nil else { throw AFIError.imageSerializationFailed }
        return self
    }

    fileprivate static func clearPixel(scale: CGFloat) throws -> Image {
        try Image(
            pixels: [0, 0, 0, 0].span.bytes, size: PixelSize(width: 1, height: 1),
            layout: PixelLayout(.bgra, .premultiplied),
            scale: scale)
    }
}

extension HTTPURLResponse {
    /// The content type in lower case and without parameters; nil if the field is missing.
    var contentType: String? {
        guard let value = value(forHTTPHeaderField: "Content-Type") else { return nil }
        let type = value.prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces).lowercased()
        return type.isEmpty ? nil : type
    }
}
