import AlcedoAF
import AlcedoTransport
import Foundation
import Testing

struct `Error texts of AlamofireImage` {
    private let url = "http://me:pw@birds.test/a.png?token=1"
    private let shown = "http://…@birds.test/a.png?…"

    @Test func `AlamofireImage's error texts have URLs without user info and signed queries`() {
        let errors: [AFError] = [
            .invalidURL(url: url),
            .sessionTaskFailed(error: TransportError.rejected(url: url)),
            .createURLRequestFailed(error: TransportError.invalidURL(url, reason: "x")),
            .responseValidationFailed(
                reason: .customValidationFailed(error: TransportError.notCached(url: url))),
        ]
        for error in errors {
            #expect(error.errorDescription?.contains(shown) == true)
            for printed in ["\(error)", "\(AFIError.alamofireError(error))", "\([error])"] {
                #expect(printed.contains(shown) && !printed.contains("pw") && !printed.contains("token"))
            }
            #expect(AFIError.alamofireError(error).errorDescription?.contains(shown) == true)
        }
    }
}
