import Alcedo
import AlcedoLocks
public import Foundation
import FoundationNetworking

extension DataRequest {
    /// The default scale of images in pixels per point; initially 1.
    public static var imageScale: CGFloat {
        get { scale.withLock { $0 } }
        set { scale.withLock { $0 = newValue } }
    }

    private static let scale = Lock(CGFloat(1))

    /// Adds a handler for the response's image, and starts the request.
    ///
    /// The handler is called exactly once, on `queue`. With `inflateResponseImage` the image is decoded before; `imageScale` is
    /// in pixels per point.
    @discardableResult
    public func responseImage(
        imageScale: CGFloat = DataRequest.imageScale,
        inflateResponseImage: Bool = true,
        queue: DispatchQueue = .main,
        completionHandler: @escaping @Sendable (AFDataResponse<Image>) -> Void
    ) -> Self {
        response(
            queue: queue,
            responseSerializer: ImageResponseSerializer(
                imageScale: imageScale, inflateResponseImage: inflateResponseImage),
            completionHandler: completionHandler
        )
    }

    /// Adds a handler for the serialized response, and starts the request.
    ///
    /// The serializer is called on a thread that it may block, the handler exactly once, on `queue`.
    @discardableResult
    public func response<Serializer: ResponseSerializer>(
        queue: DispatchQueue = .main,
        responseSerializer: Serializer,
        completionHandler: @escaping @Sendable (AFDataResponse<Serializer.SerializedObject>) -> Void
    ) -> Self {
        whenFinished(callsProgram: !responseSerializer.isOfLibrary) { [self] error, validations, transfer in
            let (response, data) = (transfer?.httpResponse, transfer?.body)
            let start = ContinuousClock.now
            let result = Result { () throws -> Serializer.SerializedObject in
                let error = error ?? validationError(of: validations, on: response, data)
                return try responseSerializer.serialize(
                    request: request, response: response, data: data, error: error)
            }
            // The body may be an image although its status or type is invalid, so it must not be cached.
            if error == nil, case .failure = result { transfer?.pendingEntry?.discard() }
            let dataResponse = AFDataResponse<Serializer.SerializedObject>(
                request: request,
                response: response,
                data: data,
                metrics: transfer?.metrics?.rawMetrics,
                serializationDuration: (ContinuousClock.now - start) / .seconds(1),
                result: result.mapError(AFError.init(serializing:))
            )
            queue.async { completionHandler(dataResponse) }
        }
        return self
    }

    /// A task for the response's image; starts the request.
    ///
    /// Cancelling the awaiting task cancels the request if `shouldAutomaticallyCancel` is true; for the other parameters see
    /// ``ImageResponseSerializer``.
    public func serializingImage(
        automaticallyCancelling shouldAutomaticallyCancel: Bool = true,
        imageScale: CGFloat = DataRequest.imageScale,
        inflateResponseImage: Bool = true,
        emptyResponseCodes: Set<Int> = ImageResponseSerializer.defaultEmptyResponseCodes,
        emptyRequestMethods: Set<HTTPMethod> = ImageResponseSerializer.defaultEmptyRequestMethods
    ) -> DataTask<Image> {
        serializingResponse(
            using: ImageResponseSerializer(
                imageScale: imageScale,
                inflateResponseImage: inflateResponseImage,
                emptyResponseCodes: emptyResponseCodes,
                emptyRequestMethods: emptyRequestMethods
            ),
            automaticallyCancelling: shouldAutomaticallyCancel
        )
    }

    /// A task for the serialized response; starts the request.
    ///
    /// Cancelling the awaiting task cancels the request if `shouldAutomaticallyCancel` is true.
    public func serializingResponse<Serializer: ResponseSerializer>(
        using serializer: Serializer,
        automaticallyCancelling shouldAutomaticallyCancel: Bool = true
    ) -> DataTask<Serializer.SerializedObject> {
        DataTask(self, automaticallyCancels: shouldAutomaticallyCancel) { [self] finish in
            response(queue: Self.delivery, responseSerializer: serializer, completionHandler: finish)
        }
    }

    // Concurrent: a handler only resumes the task that awaits it.
    private static let delivery = DispatchQueue(label: "alcedo.af.responses", attributes: .concurrent)

    private func validationError(
        of validations: [Validation], on response: HTTPURLResponse?, _ data: Data?
    ) -> AFError? {
        guard let response else { return nil }
        for validation in validations {
            if case .failure(let error) = validation(request, response, data) {
                return error.asAFError
                    ?? .responseValidationFailed(reason: .customValidationFailed(error: error))
            }
        }
        return nil
    }
}
