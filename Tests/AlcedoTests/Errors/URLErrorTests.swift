import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

@testable import EngineFixtures

@Suite(.timeLimit(.minutes(10)))
struct `A transfer that failed` {
    private func cause(_ path: String, of loading: Loading) async -> (any Error)? {
        let error = await kingfisherError {
            try await loading.downloader.downloadImage(with: loading.server.url(path))
        }
        guard case .responseError(reason: .URLSessionError(let cause)) = error else { return nil }
        return cause
    }

    @Test
    func `a failed transfer has a URLError, as with URLSession, and Alcedo's own error in it`() async throws {
        let loading = try Loading()
        loading.server.serve("/a.png", Reply(body: try Sample.png(40, 40)).cut(after: 20))
        let cause = await cause("/a.png", of: loading)
        let error = try #require(cause as? URLError)
        #expect(error.code == .networkConnectionLost)
        guard case .incompleteBody(received: 20, _, _)? = error.transportError else {
            Issue.record("\(error)")
            return
        }
        #expect((error as NSError).domain == NSURLErrorDomain)
        #expect(error.localizedDescription.contains("/a.png"))
    }

    @Test func `a transfer that timed out can be told apart by the code of its URLError`() async throws {
        let loading = try Loading()
        loading.downloader.downloadTimeout = 0.05
        loading.server.serve("/slow", Reply(body: try Sample.png(2, 2)).hold(.head, until: Gate()))
        switch await cause("/slow", of: loading) {
        case let error as URLError where error.code == .timedOut: break
        case let other: Issue.record("\(String(describing: other))")
        }
    }

    @Test func `a failed transfer is told in one sentence`() async throws {
        let loading = try Loading()
        loading.downloader.addressPolicy = .publicOnly
        let error = await kingfisherError {
            try await loading.downloader.downloadImage(with: loading.server.url("/a"))
        }
        let text = "The transfer failed: “127.0.0.1” is not a public address"
        #expect(error?.description.hasPrefix(text) == true)
        #expect(error?.description.contains("UserInfo") == false)
    }
}
