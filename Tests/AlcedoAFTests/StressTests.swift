import AlcedoAF
import AlcedoCodecs
import AlcedoPixels
import AlcedoTestSupport
import Foundation
import FoundationNetworking
import Testing

@Suite(.timeLimit(.minutes(10)))
struct `A thousand requests of mixed formats` {
    /// What a request should end with.
    private enum Expected: Sendable { case image, failure, either }

    @Test
    func `a thousand requests with filters, shares and cancellations end once each`() async throws {
        let loading = try AFLoading(maximumActiveDownloads: 8)
        let bitmap = try Bitmap.make(24, 16) { x, y -> Pixel in
            let (red, blue) = (Pixel(x * 5), Pixel(y * 7))
            return 0xFF00_0000 | red << 16 | blue
        }
        let formats: [EncodedFormat] = [.png, .jpeg, .webp, .gif]
        for (index, format) in formats.enumerated() {
            let bytes = try Picture.encoded(bitmap, as: format)
            loading.server.serve("/\(index)", bytes, contentType: "image/\(format)".lowercased())
        }
        loading.server.serve("/4", Reply(status: 404))
        loading.server.serve("/5", Array("nothing".utf8), contentType: "image/png")
        let filters: [(any ImageFilter)?] = [
            nil, ScaledToSizeFilter(size: CGSize(width: 20, height: 20)), CircleFilter(),
            BlurFilter(blurRadius: 2),
            AspectScaledToFillSizeWithRoundedCornersFilter(size: CGSize(width: 16, height: 16), radius: 4),
        ]
        let responses = Recorder<(Int, AFIDataResponse<Image>)>()
        for number in 0..<1000 {
            // Three numbers in a row ask for the same, so that they join or find it in memory.
            let group = number / 3
            let request = loading.request("/\(group % 6)?\(group)")
            let receipt = loading.downloader.download(request, filter: filters[number % filters.count]) {
                responses.append((number, $0))
            }
            if number % 10 == 9, let receipt { loading.downloader.cancelRequest(with: receipt) }
        }
        let all = await responses.waitFor(count: 1000)
        _ = await loading.downloader.response(to: loading.request("/0?last"))
        #expect(responses.count == 1000)
        #expect(Set(all.map(\.0)).count == 1000)
        for (number, response) in all {
            switch response.result {
            case .success: #expect(number / 3 % 6 < 4)
            case .failure(.requestCancelled): #expect(number % 10 == 9)
            case .failure(let error): #expect(number / 3 % 6 >= 4, "\(error)")
            }
        }
        #expect(loading.server.requestCount() <= 1001)
        #expect(loading.server.traffic.mostInProgress <= 8)
    }
}
