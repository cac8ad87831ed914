import Alcedo
import AlcedoLocks
import Foundation
import FoundationNetworking

/// Validates, serializes and filters a response, as a processor of Alcedo's downloader.
///
/// Callers with the same request, serializer and filter receive the same image.
final class ResponseProcessor: ImageProcessor {
    private struct Outcome {
        var error: AFError?
        var duration: TimeInterval = 0
    }

    let identifier: String
    private let request: URLRequest
    private let validations: [DataRequest.Validation]
    private let serializer: ImageResponseSerializer
    private let filter: (any ImageFilter)?
    private let outcome = Lock(Outcome())

    init(
        _ request: URLRequest,
        validations: [DataRequest.Validation],
        serializer: ImageResponseSerializer,
        filter: (any ImageFilter)? = nil
    ) {
        self.request = request
        self.validations = validations
        self.serializer = serializer
        self.filter = filter
        let filterName = filter.map { "|" + $0.identifier } ?? ""
        // No other serializer can have the address, because this one is retained as long as the identifier is compared.
        identifier = "\(UInt(bitPattern: ObjectIdentifier(serializer)))" + filterName
    }

    var error: AFError? { outcome.withLock { $0.error } }
    var duration: TimeInterval { outcome.withLock { $0.duration } }

    func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> Image? {
        guard case .data(let data) = item else { return nil }
        let (start, transfer) = (ContinuousClock.now, options.processingRun?.transfer)
        let result = Result { try image(of: data, response: transfer?.httpResponse) }
        let duration = (ContinuousClock.now - start) / .seconds(1)
        switch result {
        case .success(let image):
            outcome.withLock { $0 = Outcome(duration: duration) }
            return image
        case .failure(let error):
            let error = AFError(serializing: error)
            outcome.withLock { $0 = Outcome(error: error, duration: duration) }
            // The body may be an image although its status or type is invalid, so it must not be cached.
            transfer?.pendingEntry?.discard()
            return nil
        }
    }

    private func image(of data: Data, response: HTTPURLResponse?) throws -> Image {
        if let response {
            for validation in validations { try validation(request, response, data).get() }
        }
        let image = try serializer.image(request: request, response: response, data: data)
        let filtered = filter?.filter(image) ?? image
        return serializer.inflateResponseImage ? try filtered.inflated() : filtered
    }
}

extension SessionDataTask {
    /// The HTTP response; nil if there is none, as for a file.
    var httpResponse: HTTPURLResponse? {
        guard let response = task.response as? HTTPURLResponse, response.statusCode != 0 else { return nil }
        return response
    }

    /// The body; nil if it is empty.
    var body: Data? {
        let data = mutableData
        return data.isEmpty ? nil : data
    }
}

extension AFError {
    /// The error to report for an error of a validation or a serializer.
    init(serializing error: any Error) {
        self =
            error.asAFError ?? .responseSerializationFailed(reason: .customSerializationFailed(error: error))
    }

    /// Converts an error of Alcedo's downloader; nil if the body was received and the processor created no image
    /// without an error.
    init?(_ error: KingfisherError) {
        switch error {
        case .requestError(.taskCancelled), .requestError(.asyncTaskContextCancelled):
            self = .explicitlyCancelled
        case .requestError(.invalidURL(let request)):
            self = .invalidURL(url: request.url?.absoluteString ?? "")
        case .responseError(.URLSessionError(let error)):
            self =
                error.transportError == .cancelled
                ? .explicitlyCancelled : .sessionTaskFailed(error: error)
        case .processorError(.processingFailed(let processor, _)):
            guard let error = (processor as? ResponseProcessor)?.error else { return nil }
            self = error
        default: self = .sessionTaskFailed(error: error)
        }
    }
}
