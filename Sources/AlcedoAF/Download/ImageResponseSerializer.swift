import Alcedo
import AlcedoLocks
public import Foundation
public import FoundationNetworking

/// Makes an image of a response's bytes, if the response says that they are one.
///
/// Safe because it does not change once it is made; a subclass answers for what it adds.
open class ImageResponseSerializer: ResponseSerializer, @unchecked Sendable {
    /// Pixels per point where nobody says otherwise: 1.
    public static var deviceScreenScale: CGFloat { DataRequest.imageScale }

    /// The types that a response may have.
    public internal(set) static var acceptableImageContentTypes: Set<String> {
        get { acceptable.withLock { $0 } }
        set { acceptable.withLock { $0 = newValue } }
    }

    private static let acceptable = Lock(standardContentTypes)

    /// Pixels per point of the images.
    public let imageScale: CGFloat

    /// Whether images are decoded at once rather than when they are first drawn.
    public let inflateResponseImage: Bool

    /// Statuses that may come without a body.
    public let emptyResponseCodes: Set<Int>

    /// Methods whose responses may have no body.
    public let emptyRequestMethods: Set<HTTPMethod>

    /// Makes a serializer.
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

    /// Adds types that a response may have.
    open class func addAcceptableImageContentTypes(_ contentTypes: Set<String>) {
        acceptable.withLock { $0.formUnion(contentTypes) }
    }

    /// Throws an ``AFError`` if the response does not say that it is an image; one of a file or a `data` URL need not.
    open func validateContentType(for request: URLRequest?, response: HTTPURLResponse?) throws {
        if request?.url?.isFileURL == true || request?.url?.scheme?.lowercased() == "data" { return }
        let type = response?.contentType
        // Under the lock, for what others add is added in place (decision 0009).
        let others = Self.acceptable.withLock { types -> [String]? in
            if let type, types.contains(type) { return nil }
            return types.sorted()
        }
        guard let others else { return }
        let reason: AFError.ResponseValidationFailureReason =
            if let type {
                .unacceptableContentType(acceptableContentTypes: others, responseContentType: type)
            } else {
                .missingContentType(acceptableContentTypes: others)
            }
        throw AFError.responseValidationFailed(reason: reason)
    }

    /// The image; where there may be no body and there is none, one transparent pixel.
    ///
    /// - Throws: `error`, an ``AFError``, or what ``serializeImage(from:)`` throws.
    open func serialize(
        request: URLRequest?, response: HTTPURLResponse?, data: Data?, error: (any Error)?
    ) throws -> Image {
        try check(request: request, response: response, data: data, error: error, then: serializeImage)
    }

    /// The image, decoded if ``inflateResponseImage`` says so.
    ///
    /// - Throws: ``AFIError/imageSerializationFailed`` if the bytes are none, or beyond the limits of decoding.
    open func serializeImage(from data: Data) throws -> Image {
        let image = try unreadImage(from: data)
        return inflateResponseImage ? try image.inflated() : image
    }
}

extension ImageResponseSerializer {
    /// The image, which need not be decoded yet: a filter may need less than all of its pixels.
    func image(request: URLRequest, response: HTTPURLResponse?, data: Data) throws -> Image {
        guard type(of: self) == ImageResponseSerializer.self else {
            return try serialize(request: request, response: response, data: data, error: nil)
        }
        return try check(request: request, response: response, data: data, error: nil, then: unreadImage)
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

    private func unreadImage(from data: Data) throws -> Image {
        guard let image = Image(data: data, scale: imageScale) else {
            throw AFIError.imageSerializationFailed
        }
        return image
    }

    private static var standardContentTypes: Set<String> {
        var types: Set<String> = [
            "application/octet-stream", "image/bmp", "image/gif", "image/ico", "image/jp2", "image/jpeg",
            "image/jpg", "image/png", "image/tiff", "image/x-bmp", "image/x-icon", "image/x-ms-bmp",
            "image/x-win-bitmap", "image/x-xbitmap", "image/webp",
        ]
        #if HEIF
            types.formUnion(["image/avif", "image/heic", "image/heif"])
        #endif
        #if JXL
            types.insert("image/jxl")
        #endif
        #if SVG
            types.insert("image/svg+xml")
        #endif
        return types
    }
}

extension Image {
    /// The image, decoded now; throws ``AFIError/imageSerializationFailed`` if it is damaged.
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
    /// The type of the body, in lower case and without parameters; nil if the response does not say.
    var contentType: String? {
        guard let value = value(forHTTPHeaderField: "Content-Type") else { return nil }
        let type = value.prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces).lowercased()
        return type.isEmpty ? nil : type
    }
}
