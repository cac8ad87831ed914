import Foundation
import Testing

@testable import AlcedoServer

struct `An AWS signature` {
    private let date = Date(timeIntervalSince1970: 1_369_353_600)

    private func headers(
        _ request: AWSSignature.Request, token: String = ""
    ) throws -> [String: String] {
        let credentials = AWSCredentials(
            keyID: "AKIAIOSFODNN7EXAMPLE", secret: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
            sessionToken: token)
        let signature = AWSSignature(credentials: credentials, region: "us-east-1", service: "s3")
        let headers = try #require(signature.headers(of: request, at: date))
        return Dictionary(uniqueKeysWithValues: headers.map { ($0.name, $0.value) })
    }

    /// The examples that AWS documents.
    @Test(arguments: [
        ("lifecycle=", "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"),
        ("max-keys=2&prefix=J", "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"),
    ])
    func `an AWS signature is that of AWS's examples`(query: String, wanted: String) throws {
        let headers = try headers(
            AWSSignature.Request(host: "examplebucket.s3.amazonaws.com", path: "/", query: query))
        #expect(
            headers["Authorization"]
                == "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, "
                + "SignedHeaders=host;x-amz-content-sha256;x-amz-date, Signature=\(wanted)")
        #expect(headers["x-amz-date"] == "20130524T000000Z" && headers["host"] == nil)
        let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        #expect(headers["x-amz-content-sha256"] == empty)
    }

    @Test func `an AWS signature covers the body and the token of a temporary key`() throws {
        var request = AWSSignature.Request(host: "a.test", path: "/")
        let plain = try headers(request)
        let token = try headers(request, token: "t")
        request.body = Array("x".utf8)
        let body = try headers(request)
        #expect(token["x-amz-security-token"] == "t" && plain["x-amz-security-token"] == nil)
        #expect(token["Authorization"]?.contains(";x-amz-date;x-amz-security-token,") == true)
        #expect(Set([plain, token, body].map { $0["Authorization"] }).count == 3)
        #expect(body["x-amz-content-sha256"]?.hasPrefix("2d711642b726b044") == true)
    }
}
