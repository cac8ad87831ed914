import AlcedoAF
import Foundation

#if Memcached
    import AlcedoMemcached
#endif

private struct Failure: Error {}

extension ErrorSamples {
    static let alamofire: [NamedError] =
        named(
            "AFError", AFError.self,
            [
                "explicitlyCancelled": .explicitlyCancelled,
                "createURLRequestFailed": .createURLRequestFailed(error: Failure()),
                "invalidURL": .invalidURL(url: "a b"),
                "sessionTaskFailed": .sessionTaskFailed(error: Failure()),
                "requestAdaptationFailed": .requestAdaptationFailed(error: Failure()),
                "requestRetryFailed": .requestRetryFailed(retryError: Failure(), originalError: Failure()),
                "sessionDeinitialized": .sessionDeinitialized,
                "sessionInvalidated": .sessionInvalidated(error: nil),
            ]
        ) { $0 }
        + named(
            "ResponseSerializationFailureReason", AFError.ResponseSerializationFailureReason.self,
            [
                "inputDataNilOrZeroLength": .inputDataNilOrZeroLength,
                "customSerializationFailed": .customSerializationFailed(error: Failure()),
            ]
        ) { AFError.responseSerializationFailed(reason: $0) }
        + named(
            "ResponseValidationFailureReason", AFError.ResponseValidationFailureReason.self,
            [
                "dataFileNil": .dataFileNil,
                "missingContentType": .missingContentType(acceptableContentTypes: ["image/png"]),
                "unacceptableContentType": .unacceptableContentType(
                    acceptableContentTypes: ["image/png"], responseContentType: "text/html"),
                "unacceptableStatusCode": .unacceptableStatusCode(code: 404),
                "customValidationFailed": .customValidationFailed(error: Failure()),
            ]
        ) { AFError.responseValidationFailed(reason: $0) }
        + [
            (
                "URLRequestValidationFailureReason.bodyDataInGETRequest",
                AFError.urlRequestValidationFailed(reason: .bodyDataInGETRequest(Data([1])))
            ),
            ("AFIError.requestCancelled", AFIError.requestCancelled),
            ("AFIError.imageSerializationFailed", AFIError.imageSerializationFailed),
            ("CoreImageFilterError.unknownFilter", CoreImageFilterError.unknownFilter("A", known: ["B"])),
            (
                "CoreImageFilterError.unknownParameter",
                CoreImageFilterError.unknownParameter("A", filter: "B", known: [])
            ),
            (
                "CoreImageFilterError.unknownParameter",
                CoreImageFilterError.unknownParameter("A", filter: "B", known: ["C"])
            ),
            (
                "CoreImageFilterError.invalidValue",
                CoreImageFilterError.invalidValue(parameter: "A", filter: "B", expected: "a number")
            ),
            (
                "CoreImageFilterError.imageCannotBeFiltered",
                CoreImageFilterError.imageCannotBeFiltered("a reason")
            ),
        ]

    #if Memcached
        static let memcached: [NamedError] =
            named(
                "MemcachedError", MemcachedError.self,
                [
                    "invalidServer": .invalidServer("a b"),
                    "invalidServers": .invalidServers,
                    "invalidKey": .invalidKey("a b"),
                    "tooLarge": .tooLarge(bytes: 1),
                    "overloaded": .overloaded,
                    "timedOut": .timedOut,
                    "suspended": .suspended(server: "a:1"),
                    "failed": .failed(server: "a:1", reason: "a reason"),
                ]
            ) { $0 }
    #else
        static let memcached: [NamedError] = []
    #endif
}
