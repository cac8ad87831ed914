import AlcedoLocks
import AlcedoTransport
import Foundation

/// A transfer, and how it ended.
final class Load: TransportHandler {
    private let end = DispatchSemaphore(value: 0)
    private let result = Lock<String?>(nil)
    private let task = Lock<(any TransportTask)?>(nil)

    /// Starts it.
    init(_ transport: CurlTransport, _ url: String, connectTimeout: Double = 120) {
        var request = TransportRequest(url: URL(string: url) ?? URL(filePath: "/"))
        // The server's process may be busy with other tests.
        request.timeouts = TransportTimeouts {
            ($0.connect, $0.firstByte, $0.stall) = (.seconds(connectTimeout), .seconds(120), .seconds(120))
        }
        let task = transport.start(request, handler: self)
        self.task.withLock { $0 = task }
    }

    func cancel() { task.withLock { $0 }?.cancel() }

    /// Waits for the end: the status, or what the error says.
    var outcome: String {
        end.wait()
        defer { end.signal() }
        return result.withLock { $0 } ?? ""
    }

    func transferDidFinish(_ result: Result<TransferResult, TransportError>) {
        let text =
            switch result {
            case .success(let result): "status \(result.response.status)"
            case .failure(let error): error.description
            }
        self.result.withLock { $0 = text }
        end.signal()
    }
}
