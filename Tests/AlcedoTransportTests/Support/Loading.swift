import AlcedoTestSupport
import AlcedoTransport
import Foundation

extension TransportRequest {
    /// A request for the URL with this text; for none if it is no URL.
    init(to text: String, _ configure: (inout TransportRequest) -> Void = { _ in }) {
        self = (try? TransportRequest(address: text, configure)) ?? TransportRequest(url: .none, configure)
    }

    /// A request whose time-outs do not fire, however long a busy machine lets its threads wait.
    static func patient(
        _ url: String, _ configure: (inout TransportRequest) -> Void = { _ in }
    ) -> TransportRequest {
        TransportRequest(to: url) { request in
            request.timeouts = TransportTimeouts {
                let limit = Duration.seconds(120)
                ($0.connect, $0.firstByte, $0.stall, $0.total) = (limit, limit, limit, limit)
            }
            configure(&request)
        }
    }
}

extension URL {
    static let none = URL(filePath: "/none")

    /// The URL with this text; none if it is no URL.
    init(text: String) { self = URL(string: text) ?? .none }
}

extension Transport {
    /// Starts a patient transfer that accepts everything, and waits for its end, which must be a good one.
    func load(
        _ url: String, _ configure: (inout TransportRequest) -> Void = { _ in }
    ) async throws -> TransferResult {
        let recorder = TransferRecorder()
        start(.patient(url, configure), handler: recorder)
        return try await recorder.result
    }

    /// Starts a patient transfer that must fail, and waits for its error; nil if it does not fail.
    func failure(
        _ url: String, _ configure: (inout TransportRequest) -> Void = { _ in }
    ) async -> TransportError? {
        let recorder = TransferRecorder()
        guard (try? TransportRequest(address: url)) != nil else {
            return .invalidURL(url, reason: "Foundation cannot read it")
        }
        start(.patient(url, configure), handler: recorder)
        return await recorder.error
    }
}

extension TransferResult {
    var text: String { String(decoding: body, as: UTF8.self) }
}

extension Recorder {
    /// Waits for the first element; throws if the test is cancelled before.
    func first() async throws -> Element {
        guard let first = await waitFor(count: 1).first else { throw CancellationError() }
        return first
    }
}

extension ReceivedRequest {
    /// The request line and the headers.
    var text: String { String(decoding: head, as: UTF8.self) }
}

extension Reply {
    static func text(_ text: String, status: Int = 200, headers: [(String, String)] = []) -> Reply {
        Reply(status: status, body: Array(text.utf8), headers: headers)
    }

    /// A body of `count` letters.
    static func letters(_ count: Int) -> Reply { .text(String(repeating: "x", count: count)) }

    /// Bytes that were gzipped and written in base64.
    static func gzipped(_ base64: String) -> Reply {
        Reply(body: [UInt8](Data(base64Encoded: base64) ?? Data()), headers: [("Content-Encoding", "gzip")])
    }
}
