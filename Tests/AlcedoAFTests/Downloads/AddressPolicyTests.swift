import AlcedoAF
import AlcedoTestSupport
import Foundation
import FoundationNetworking
import Testing

@MainActor @Suite(.timeLimit(.minutes(10)))
struct `AlamofireImage's API under publicOnly` {
    private func isRejected(_ error: AFIError?) -> Bool {
        "\(error.map { "\($0)" } ?? "")".contains("not a public address")
    }

    @Test func `AlamofireImage's API under publicOnly loads no file, from a cache neither`() async throws {
        let folder = try TemporaryDirectory()
        let file = folder.file("secret.png")
        try Data(Picture.png(4, 4)).write(to: file)
        let loading = try AFLoading()
        let request = URLRequest(url: file)
        #expect(await loading.downloader.response(to: request).value?.pixelSize.width == 4)
        loading.downloader.addressPolicy = .publicOnly
        #expect(isRejected(await loading.downloader.response(to: request).error))
    }

    @Test func `the address policy of AlamofireImage's API is the session's`() async throws {
        let loading = try AFLoading()
        let request = try loading.serve("/a")
        let session = Session(configuration: AFLoading.configuration, startRequestsImmediately: false)
        session.addressPolicy = .publicOnly
        let downloader = ImageDownloader(session: session)
        #expect(downloader.addressPolicy == .publicOnly)
        #expect(isRejected(await downloader.response(to: request).error))
        #expect(loading.server.requestCount() == 0)
    }
}
