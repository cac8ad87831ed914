import Alcedo
import AlcedoLocks
public import Foundation
import FoundationNetworking

extension DataRequest {
    /// Pixels per point where nobody says otherwise; 1 by default.
    public static var imageScale: CGFloat {
        get { scale.withLock { $0 } }
        set { scale.withLock { $0 = newValue } }
    }

    private static let scale = Lock(CGFloat(1))

    /// Makes an image of the response, and starts the request.
    ///
    /// - Parameters:
    ///   - imageScale: pixels per point.
    ///   - inflateResponseImage: whether the image is decoded at once.
    ///   - queue: where the handler is called.
    ///   - completionHandler: called exactly once.
    /// - Returns: the request.
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

    /// Makes a value of the response, and starts the request.
    ///
    /// - Parameters:
    ///   - queue: where the handler is called.
    ///   - responseSerializer: makes the value; called on a worker thread.
    ///   - completionHandler: called exactly once.
    /// - Returns: the request.
    @discardableResult
    public func response<Serializer: ResponseSerializer>(
        queue: DispatchQueue = .main,
        responseSerializer: Serializer,
        completionHandler: @escaping @Sendable (AFDataResponse<Serializer.SerializedObject>) -> Void
    ) -> Self {
        whenFinished { [self] error, validations, transfer in
            let (response, data) = (transfer?.httpResponse, transfer?.body)
            let start = ContinuousClock.now
            let result = Result { () throws -> Serializer.SerializedObject in
                let error = error ?? verdict(of: validations, on: response, data)
                return try responseSerializer.serialize(
                    request: request, response: response, data: data, error: error)
            }
            // Its status or its type may be what is wrong, with bytes that are an image.
            if error == nil, case .failure = result { transfer?.pendingEntry?.discard() }
            let answer = AFDataResponse<Serializer.SerializedObject>(
                request: request,
                response: response,
                data: data,
                metrics: transfer?.metrics?.rawMetrics,
                serializationDuration: (ContinuousClock.now - start) / .seconds(1),
                result: result.mapError(AFError.init(serializing:))
            )
            queue.async { completionHandler(answer) }
        }
        return self
    }

    /// An image of the response, to be awaited; starts the request.
    ///
    /// - Parameters:
    ///   - shouldAutomaticallyCancel: whether the request is cancelled with the task that awaits.
    ///   - imageScale: pixels per point.
    ///   - inflateResponseImage: whether the image is decoded at once.
    ///   - emptyResponseCodes: statuses that may come without a body.
    ///   - emptyRequestMethods: methods whose responses may have no body.
    /// - Returns: what can be awaited.
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

    /// A value of the response, to be awaited; starts the request.
    ///
    /// - Parameters:
    ///   - serializer: makes the value.
    ///   - shouldAutomaticallyCancel: whether the request is cancelled with the task that awaits.
    /// - Returns: what can be awaited.
    public func serializingResponse<Serializer: ResponseSerializer>(
        using serializer: Serializer,
        automaticallyCancelling shouldAutomaticallyCancel: Bool = true
    ) -> DataTask<Serializer.SerializedObject> {
        DataTask(self, automaticallyCancels: shouldAutomaticallyCancel) { [self] finish in
            response(queue: Self.delivery, responseSerializer: serializer, completionHandler: finish)
        }
    }

    private static let delivery = DispatchQueue(label: "alcedo.af.responses", attributes: .concurrent)

    private func verdict(
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
