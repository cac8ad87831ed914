import Foundation

/// Azure's authorization by the key of an account (“Shared Key”), as its services have it since version 2015-02-21.
struct AzureSignature: Sendable {
    let account: String
    let key: [UInt8]

    /// What is signed.
    struct Request: Sendable {
        var method = "GET"

        /// Percent-encoded as it is sent.
        var path: String

        /// Those of the query, decoded, with names in lower case and in their order.
        var parameters: [(name: String, value: String)] = []
        var headers: [(name: String, value: String)]
    }

    private static let fields = [
        "content-encoding", "content-language", "content-length", "content-md5", "content-type", "date",
        "if-modified-since", "if-match", "if-none-match", "if-unmodified-since", "range",
    ]

    /// The value of `Authorization`; nil if libcrypto fails.
    func authorization(of request: Request) -> String? {
        MessageCode.code(of: Array(text(of: request).utf8), key: key).map {
            "SharedKey \(account):\(Data($0).base64EncodedString())"
        }
    }

    /// What the signature is for.
    func text(of request: Request) -> String {
        let headers = request.headers.map { (name: $0.name.lowercased(), value: $0.value) }
        let values = Self.fields.map { field in headers.first { $0.name == field }?.value ?? "" }
        func lines(_ pairs: [(name: String, value: String)]) -> [String] {
            pairs.map { "\($0.name):\($0.value)" }
        }
        let own = lines(headers.filter { $0.name.hasPrefix("x-ms-") }.sorted { $0.name < $1.name })
        let resource = ["/\(account)\(request.path)"] + lines(request.parameters)
        return ([request.method] + values + own + resource).joined(separator: "\n")
    }
}
