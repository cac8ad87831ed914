import Foundation
import Testing

@testable import AlcedoServer

struct `An Azure signature` {
    private let date = (name: "x-ms-date", value: "Fri, 26 Jun 2015 23:39:12 GMT")

    /// The example of “Authorize with Shared Key” in Microsoft's documentation.
    ///
    /// It shows no key. With `hunter2` its signature is that of OpenSSL:
    /// `printf TEXT | openssl dgst -sha256 -hmac hunter2 -binary | base64`.
    @Test func `an Azure signature is that of Azure's example`() {
        let request = AzureSignature.Request(
            path: "/mycontainer",
            parameters: [
                (name: "comp", value: "metadata"), (name: "restype", value: "container"),
                (name: "timeout", value: "20"),
            ],
            headers: [date, (name: "X-Ms-Version", value: "2015-02-21")])
        let signature = AzureSignature(account: "myaccount", key: Array("hunter2".utf8))
        let wanted =
            "GET\n\n\n\n\n\n\n\n\n\n\n\nx-ms-date:Fri, 26 Jun 2015 23:39:12 GMT\nx-ms-version:2015-02-21\n"
            + "/myaccount/mycontainer\ncomp:metadata\nrestype:container\ntimeout:20"
        #expect(signature.text(of: request) == wanted)
        #expect(
            signature.authorization(of: request)
                == "SharedKey myaccount:Ikv4gYIpC8zzq1DWVw8EkOtgR/UXab3H1H8nMc4JKUQ=")
    }

    @Test func `an Azure signature covers conditions and ranges in their lines`() {
        let headers = [
            date, (name: "If-None-Match", value: "\"1\""), (name: "range", value: "bytes=0-1"),
            (name: "If-Modified-Since", value: "d"), (name: "Accept", value: "*/*"),
        ]
        let request = AzureSignature.Request(path: "/c/b", headers: headers)
        let lines = AzureSignature(account: "a", key: [0]).text(of: request).split(
            separator: "\n", omittingEmptySubsequences: false)
        #expect(
            lines == [
                "GET", "", "", "", "", "", "", "d", "", "\"1\"", "", "bytes=0-1",
                "x-ms-date:Fri, 26 Jun 2015 23:39:12 GMT", "/a/c/b",
            ])
    }
}
