import AlcedoLocks
import Foundation
import FoundationNetworking

/// A transfer as a URLSession task, for delegates and handlers that expect one.
///
/// Safe because it only reads the transfer, whose state is behind a lock.
final class FoundationDataTask: URLSessionDataTask, @unchecked Sendable {
    weak let owner: SessionDataTask?

    weak var handler: ImageTransferHandler? {
        get { handlerLock.withLock { $0.value } }
        set { handlerLock.withLock { $0.value = newValue } }
    }

    private struct WeakHandler: Sendable { weak var value: ImageTransferHandler? }

    private let handlerLock = Lock(WeakHandler())
    private let number: Int
    private let request: URLRequest?

    init(of owner: SessionDataTask, request: URLRequest?) {
        self.owner = owner
        self.request = request ?? owner.originalURL.map { URLRequest(url: $0) }
        number = ObjectIdentifier(owner).hashValue
        super.init()
    }

    override var taskIdentifier: Int { number }
    override var originalRequest: URLRequest? { request }

    /// The last redirect's request, if the response contains its URL.
    override var currentRequest: URLRequest? {
        guard let url = (response as? HTTPURLResponse)?.url, url != request?.url else { return request }
        return URLRequest(url: url)
    }

    override var response: URLResponse? { owner?.response?.httpResponse }

    override var countOfBytesReceived: Int64 { owner?.received ?? 0 }
    override var countOfBytesExpectedToReceive: Int64 { owner?.response?.expectedBytes ?? -1 }
    override var countOfBytesSent: Int64 { owner?.metrics?.requestBodyBytesSent ?? 0 }
    override var countOfBytesExpectedToSend: Int64 { Int64(request?.httpBody?.count ?? 0) }
    override var state: URLSessionTask.State { owner?.isOver == false ? .running : .completed }
    override var error: (any Error)? { owner?.failure }

    override var priority: Float {
        get { owner.flatMap { $0.downloader?.priority(of: $0) } ?? 0.5 }
        set { owner?.prioritize(min(max(newValue, 0), 1)) }
    }

    override func cancel() { owner?.cancelAll() }
    override func suspend() {}
    override func resume() {}
}
