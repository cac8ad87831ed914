import Foundation
import FoundationNetworking

@testable import Alcedo
@testable import AlcedoCaches

/// An error and its name on the page of error messages.
typealias NamedError = (String, any Error)

/// Errors of one type, or of one reason in another error, with the type's name before theirs.
func named<Reason>(
    _ prefix: String, _ type: Reason.Type, _ reasons: KeyValuePairs<String, Reason>,
    error: (Reason) -> any Error
) -> [NamedError] {
    reasons.map { ("\(prefix).\($0.key)", error($0.value)) }
}

/// An error of each public case.
enum ErrorSamples {
    static let all = transport + codec + caches + kingfisher + alamofire + memcached + thumbnails
}

private let url = "https://example.com/a.jpg"
private let link = URL(fileURLWithPath: "/a/b.jpg")
private let source = Source.network(link)
private let unknown = CodecError.unknownFormat
private let response = URLResponse(
    url: link, mimeType: nil, expectedContentLength: 0, textEncodingName: nil)
private let notFound: HTTPURLResponse = {
    guard let response = HTTPURLResponse(url: link, statusCode: 404, httpVersion: nil, headerFields: nil)
    else { preconditionFailure("404 is a status") }
    return response
}()

extension ErrorSamples {
    static let thumbnails: [NamedError] =
        named(
            "DesktopThumbnailError", DesktopThumbnailError.self,
            [
                "noFile": .noFile("/a/b.jpg"), "missing": .missing(file: "/a/b.jpg"),
                "failedBefore": .failedBefore(file: "/a/b.jpg"),
            ]
        ) { $0 }

    static let transport: [NamedError] =
        named(
            "TransportError", TransportError.self,
            [
                "cancelled": .cancelled,
                "invalidURL": .invalidURL(url, reason: "a reason"),
                "unsupportedScheme": .unsupportedScheme("ftp", url: url),
                "invalidHeader": .invalidHeader(name: "A", url: url),
                "couldNotResolveHost": .couldNotResolveHost("example.com", url: url),
                "cannotConnect": .cannotConnect(reason: "refused", url: url),
                "cannotUseProxy": .cannotUseProxy("a:1", reason: "refused", url: url),
                "addressRejected": .addressRejected("10.0.0.1", url: url),
                "addressRejected": .addressRejected("", url: url),
                "timedOut": .timedOut(.connect, seconds: 15, url: url),
                "timedOut": .timedOut(.firstByte, seconds: 15, url: url),
                "timedOut": .timedOut(.stall, seconds: 15, url: url),
                "timedOut": .timedOut(.total, seconds: 15, url: url),
                "queueTimedOut": .queueTimedOut(waitingFor: "others", seconds: 1, url: url),
                "tls": .tls(reason: "expired", url: url),
                "serverRejected": .serverRejected(url: url),
                "cannotAskAboutServer": .cannotAskAboutServer(reason: "refused", url: url),
                "authenticationCancelled": .authenticationCancelled(url: url),
                "incompleteBody": .incompleteBody(received: 1, expected: 2, url: url),
                "incompleteBody": .incompleteBody(received: 1, expected: nil, url: url),
                "connectionLost": .connectionLost(reason: "reset", url: url),
                "tooLarge": .tooLarge(limit: 1, url: url),
                "tooManyRedirects": .tooManyRedirects(limit: 1, url: url),
                "rejectedRedirect": .rejectedRedirect(to: url, reason: "a reason", url: url),
                "malformedResponse": .malformedResponse(reason: "a reason", url: url),
                "fileUnreadable": .fileUnreadable(path: "/a", reason: "a reason"),
                "notCached": .notCached(url: url),
                "failedBefore": .failedBefore(
                    RememberedFailure(status: nil, reason: "a reason", date: .now, expiration: .now), url: url
                ),
                "rejected": .rejected(url: url),
                "constrainedNetwork": .constrainedNetwork(url: url),
                "other": .other(code: 1, reason: "a reason", url: url),
            ]
        ) { $0 }

    static let codec: [NamedError] =
        named(
            "CodecError", CodecError.self,
            [
                "unknownFormat": .unknownFormat,
                "unsupported": .unsupported(.png, reason: "a reason"),
                "truncated": .truncated(.png),
                "corrupt": .corrupt(.png, reason: "a reason"),
                "limitExceeded": .limitExceeded(.pixels, value: 2, limit: 1),
                "limitExceeded": .limitExceeded(.frames, value: 2, limit: 1),
                "timeLimitExceeded": .timeLimitExceeded(seconds: 1),
                "noFrame": .noFrame(at: 3, duration: 2),
                "outOfMemory": .outOfMemory(byteCount: 1),
                "encodingFailed": .encodingFailed(.png, reason: "a reason"),
            ]
        ) { $0 }
        + named(
            "DecodeSandbox.Failure", DecodeSandbox.Failure.self,
            [
                "unavailable": .unavailable(reason: "a reason"),
                "died": .died(signal: 11),
                "exited": .exited(status: 1),
                "timedOut": .timedOut(seconds: 1),
                "outOfMemory": .outOfMemory(byteCount: 1 << 20),
                "invalidResponse": .invalidResponse(reason: "a reason"),
                "quarantined": .quarantined,
                "busy": .busy(waiting: 3),
            ]
        ) { $0 }
        + named(
            "ImageHashError", ImageHashError.self,
            [
                "invalidLength": .invalidLength(1, expected: 2),
                "invalidCharacter": .invalidCharacter("ä"),
                "invalidValue": .invalidValue(position: 1),
                "invalidPunch": .invalidPunch(-2000),
                "invalidSize": .invalidSize(.zero),
            ]
        ) { $0 }

    static let caches: [NamedError] =
        named(
            "CacheErrorReason", KingfisherError.CacheErrorReason.self,
            [
                "imageNotExisting": .imageNotExisting(key: "a"),
                "diskStorageIsNotReady": .diskStorageIsNotReady(cacheURL: link),
                "cannotCreateDirectory": .cannotCreateDirectory(path: "/a", error: unknown),
                "cannotCreateCacheFile": .cannotCreateCacheFile(
                    fileURL: link, key: "a", data: Data(), error: unknown),
                "cannotLoadDataFromDisk": .cannotLoadDataFromDisk(url: link, error: unknown),
                "cannotSetCacheFileAttribute": .cannotSetCacheFileAttribute(
                    filePath: "/a", attributes: [:], error: unknown),
                "invalidURLResource": .invalidURLResource(error: unknown, key: "a", url: link),
                "fileEnumeratorCreationFailed": .fileEnumeratorCreationFailed(url: link),
                "invalidFileEnumeratorContent": .invalidFileEnumeratorContent(url: link),
                "cannotConvertToData": .cannotConvertToData(object: 1, error: unknown),
                "cannotSerializeImage": .cannotSerializeImage(
                    image: nil, original: nil, serializer: DefaultCacheSerializer.default),
                "storingForbidden": .storingForbidden(key: "a"),
            ]
        ) { KingfisherError.cacheError(reason: $0) }
        + [
            ("DiskQuotaError", DiskQuotaError(size: 2, limit: 1)),
            ("DiskStallError", DiskStallError(seconds: 5)),
            ("DiskStallError", DiskStallError(waiting: 1 << 30)),
            ("CacheFlushError", CacheFlushError(pendingCount: 1, pendingBytes: 1)),
            ("CacheFlushError", CacheFlushError(pendingCount: 0, pendingBytes: 0, failedCount: 1)),
            ("DiskEncryptionError.keyLength", DiskEncryptionError.keyLength(identifier: "a", bytes: 1)),
            ("DiskEncryptionError.missingKey", DiskEncryptionError.missingKey(identifier: "a")),
            ("DiskEncryptionError.unsupported", DiskEncryptionError.unsupported),
            ("DiskTransformError.damaged", DiskTransformError.damaged),
            ("DiskTransformError.unavailable", DiskTransformError.unavailable),
            ("SharedCacheError.epochIsFixed", SharedCacheError.epochIsFixed),
            ("SharedCacheError.noResponse", SharedCacheError.noResponse),
            ("SharedCacheError.removalPending", SharedCacheError.removalPending),
        ]

    static let kingfisher: [NamedError] =
        named(
            "RequestErrorReason", KingfisherError.RequestErrorReason.self,
            [
                "emptyRequest": .emptyRequest,
                "invalidURL": .invalidURL(request: URLRequest(url: link)),
                "managerIsShutDown": .managerIsShutDown,
                "cannotStartThread": .cannotStartThread(error: POSIXError(.EAGAIN)),
                "cannotStartThread": .cannotStartThread(error: POSIXError(.EDEADLK)),
                "asyncTaskContextCancelled": .asyncTaskContextCancelled,
                "dataProviderCancelled": .dataProviderCancelled(
                    provider: LocalFileImageDataProvider(fileURL: link)),
                "interceptorThrew": .interceptorThrew(source: source, error: unknown),
            ]
        ) { KingfisherError.requestError(reason: $0) }
        + named(
            "ResponseErrorReason", KingfisherError.ResponseErrorReason.self,
            [
                "URLSessionError": .URLSessionError(error: TransportError.cancelled),
                "invalidHTTPStatusCode": .invalidHTTPStatusCode(response: notFound),
                "invalidURLResponse": .invalidURLResponse(response: response),
                "cancelledByDelegate": .cancelledByDelegate(response: response),
            ]
        ) { KingfisherError.responseError(reason: $0) }
        + named(
            "ImageSettingErrorReason", KingfisherError.ImageSettingErrorReason.self,
            [
                "emptySource": .emptySource,
                "notCurrentSourceTask": .notCurrentSourceTask(result: nil, error: nil, source: source),
                "dataProviderError": .dataProviderError(
                    provider: LocalFileImageDataProvider(fileURL: link), error: unknown),
                "alternativeSourcesExhausted": .alternativeSourcesExhausted([]),
            ]
        ) { KingfisherError.imageSettingError(reason: $0) }
        + named(
            "ProcessorErrorReason", KingfisherError.self,
            [
                "processingFailed": processing(.data(Data())),
                "processingFailed": processing(.image(Image())),
                "processorThrew": .processorError(
                    reason: .processorThrew(
                        processor: DefaultImageProcessor.default, item: .data(Data()), error: unknown)),
            ]
        ) { $0 }
}

private func processing(_ item: ImageProcessItem) -> KingfisherError {
    .processorError(reason: .processingFailed(processor: DefaultImageProcessor.default, item: item))
}
