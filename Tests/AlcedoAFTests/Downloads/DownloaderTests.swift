import AlcedoAF
import AlcedoTestSupport
import Foundation
import FoundationNetworking
import Testing

@Suite(.timeLimit(.minutes(10)))
struct `A downloader of AlamofireImage's` {
    let loading: AFLoading
    let gate = Gate()
    let responses = AFRecorder()
    var server: LoopbackServer { loading.server }
    var downloader: ImageDownloader { loading.downloader }

    init() throws {
        loading = try AFLoading()
    }

    private func record(
        _ request: any URLRequestConvertible, cacheKey: String? = nil, filter: (any ImageFilter)? = nil
    ) -> RequestReceipt? {
        downloader.download(request, cacheKey: cacheKey, filter: filter) { [responses] in responses.append($0)
        }
    }

    @Test func `a downloader gets an image, and calls back on the main thread`() async throws {
        let request = try loading.serve("/a")
        let receipt = downloader.download(request, receiptID: "mine") { [responses] response in
            MainActor.assertIsolated()
            responses.append(response)
        }
        #expect(receipt?.receiptID == "mine")
        #expect(receipt?.request.request?.url == request.url)
        let response = try #require(await responses.waitFor(count: 1).first)
        #expect(response.value?.pixelSize.width == 6)
        #expect(response.value?.af.isInflated == true)
        #expect(response.request?.url == request.url)
        #expect(response.response?.statusCode == 200)
        #expect(
            response.data?.count
                == response.metrics?.transactionMetrics.last.map { Int($0.countOfResponseBodyBytesReceived) })
        #expect(receipt?.request.isFinished == true)
    }

    @Test func `a downloader returns an image from memory afterwards, without a receipt`() async throws {
        let request = try loading.serve("/a")
        let first = await downloader.response(to: request)
        let receipt = record(request)
        #expect(receipt == nil)
        let second = try #require(await responses.waitFor(count: 1).first)
        #expect(second.value === first.value)
        #expect(second.response == nil)
        #expect(server.requestCount() == 1)
    }

    @Test func `a downloader does not read memory if the cache policy forbids it`() async throws {
        var request = try loading.serve("/a")
        _ = await downloader.response(to: request)
        request.cachePolicy = .reloadIgnoringLocalCacheData
        _ = await downloader.response(to: request)
        #expect(server.requestCount() == 2)
    }

    @Test func `a downloader shares a transfer, and gives each caller its own filter and key`() async throws {
        let request = try loading.serve("/a", until: gate)
        let runs = CallCounter()
        func filter(_ width: Int) -> DynamicImageFilter {
            DynamicImageFilter("width\(width)") {
                runs.increment()
                return $0.af.imageScaled(to: CGSize(width: width, height: 4))
            }
        }
        let receipts = [
            record(request), record(request, filter: filter(3)),
            record(request, cacheKey: "own", filter: filter(9)),
            record(request, filter: filter(3)),
        ].compactMap(\.self)
        #expect(receipts.count == 4)
        #expect(Set(receipts.map { ObjectIdentifier($0.request) }).count == 1)
        #expect(Set(receipts.map(\.receiptID)).count == 4)
        gate.open()
        let widths = await responses.waitFor(count: 4).compactMap(\.value?.pixelSize.width)
        #expect(widths.sorted() == [3, 3, 6, 9])
        #expect(runs.value == 2)
        #expect(server.requestCount() == 1)
        #expect(loading.cache.image(for: request)?.pixelSize.width == 6)
        #expect(loading.cache.image(for: request, withIdentifier: "width3")?.pixelSize.width == 3)
        #expect(loading.cache.image(withIdentifier: "own")?.pixelSize.width == 9)
        #expect(loading.cache.image(for: request, withIdentifier: "width9") == nil)
    }

    @Test
    func `a downloader does not coalesce requests that differ in method, headers or body`() async throws {
        let get = try loading.serve("/a", until: gate)
        var post = get
        post.httpMethod = "POST"
        var bodied = post
        bodied.httpBody = Data("x".utf8)
        var headed = get
        headed.setValue("1", forHTTPHeaderField: "X-Test")
        var same = get
        same.cachePolicy = .reloadIgnoringLocalCacheData
        for request in [get, post, bodied, headed, same] { _ = record(request) }
        await gate.waitForArrivals(4)
        gate.open()
        await responses.waitFor(count: 5)
        let errors = responses.values.compactMap(\.error)
        #expect(errors.isEmpty, "\(errors)")
        #expect(server.requestCount() == 4)
    }

    @Test func `a downloader reports the progress of a shared transfer to each caller`() async throws {
        let body = try Picture.encoded(
            .make(64, 64) { x, y in 0xFF00_0000 | UInt32(x &* 977 &* y &* 31) }, as: .png)
        server.serve(
            "/a", Reply(body: body, contentType: "image/png").hold(.byte(body.count / 2), until: gate))
        let (first, second) = (Recorder<Double>(), Recorder<Double>())
        let queue = DispatchQueue(label: "progress")
        let request = loading.request("/a")
        for recorder in [first, second] {
            downloader.download(
                request, progress: { recorder.append($0.fractionCompleted) }, progressQueue: queue,
                completion: { [responses] in responses.append($0) })
        }
        gate.open()
        await responses.waitFor(count: 2)
        #expect(await first.wait { $0.last == 1 })
        #expect(await second.wait { $0.last == 1 })
        for recorder in [first, second] { #expect(recorder.values == recorder.values.sorted()) }
    }

    @Test func `a downloader cancels one share, and the transfer with the last`() async throws {
        let request = try loading.serve("/a", until: gate)
        let receipts = [record(request), record(request), record(request)].compactMap(\.self)
        await gate.waitForArrivals(1)
        downloader.cancelRequest(with: receipts[1])
        #expect(await responses.waitFor(count: 1)[0].error?.isRequestCancelledError == true)
        downloader.cancelRequest(with: receipts[1])
        downloader.cancelRequest(with: receipts[0])
        #expect(server.traffic.repliesAbandoned == 0)
        downloader.cancelRequest(with: receipts[2])
        await server.waitForAbandonedReplies(1)
        #expect(await responses.waitFor(count: 3).allSatisfy { $0.error?.isRequestCancelledError == true })
        gate.open()
        #expect(await downloader.response(to: request).value != nil)
        #expect(responses.count == 3)
    }

    @Test func `a downloader runs no more transfers than its maximum, in order`() async throws {
        for (order, expected) in [
            (ImageDownloader.DownloadPrioritization.fifo, ["/0", "/1", "/2", "/3"]),
            (.lifo, ["/0", "/3", "/2", "/1"]),
        ] {
            let gate = Gate()
            let loading = try AFLoading(prioritization: order, maximumActiveDownloads: 1)
            for index in 0..<4 { try loading.serve("/\(index)", until: gate) }
            let responses = AFRecorder()
            for index in 0..<4 {
                loading.downloader.download(loading.request("/\(index)")) { responses.append($0) }
            }
            await gate.waitForArrivals(1)
            #expect(loading.server.requestCount() == 1)
            gate.open()
            await responses.waitFor(count: 4)
            #expect(loading.server.requests().map(\.path) == expected)
        }
    }

    @Test func `a downloader starts other transfers when a queued one is cancelled`() async throws {
        let loading = try AFLoading(maximumActiveDownloads: 1)
        let running = try loading.serve("/running", until: gate)
        let responses = AFRecorder()
        loading.downloader.download(running) { responses.append($0) }
        let waiting = loading.downloader.download(try loading.serve("/waiting")) { responses.append($0) }
        loading.downloader.download(try loading.serve("/next")) { responses.append($0) }
        loading.downloader.cancelRequest(with: try #require(waiting))
        await responses.waitFor(count: 1)
        gate.open()
        await responses.waitFor(count: 3)
        #expect(loading.server.requests().map(\.path) == ["/running", "/next"])
    }

    @Test func `a downloader fails for each caller whose request can't be created`() async throws {
        struct Broken: URLRequestConvertible {
            func asURLRequest() throws -> URLRequest { throw CocoaError(.coderInvalidValue) }
        }
        let receipts = [record(Broken()), record(Broken())].compactMap(\.self)
        #expect(receipts.count == 2)
        for response in await responses.waitFor(count: 2) {
            guard case .alamofireError(.createURLRequestFailed(let error))? = response.error else {
                Issue.record("\(response)")
                continue
            }
            #expect((error as? CocoaError)?.code == .coderInvalidValue)
        }
    }

    @Test func `a downloader gets several images at once, but for those in memory`() async throws {
        let requests = try (0..<3).map { try loading.serve("/\($0)", width: $0 + 1) }
        loading.cache.add(Image(bitmap: try .make(9, 9) { _, _ in red }), for: requests[1])
        let receipts = downloader.download(requests, completion: { [responses] in responses.append($0) })
        #expect(receipts.count == 2)
        let widths = await responses.waitFor(count: 3).compactMap(\.value?.pixelSize.width)
        #expect(widths.sorted() == [1, 3, 9])
    }

    @Test func `a downloader sends its credential when it is challenged`() async throws {
        let png = try Picture.png(3, 3)
        server.route("/a") { request in
            request.header("authorization") == "Basic " + Data("anna:geheim".utf8).base64EncodedString()
                ? Reply(body: png, contentType: "image/png")
                : .status(401, headers: [("WWW-Authenticate", "Basic realm=\"pictures\"")])
        }
        let unauthorized = await downloader.response(to: loading.request("/a"))
        guard case .alamofireError(let error)? = unauthorized.error else {
            Issue.record("\(unauthorized)")
            return
        }
        #expect(error.responseCode == 401)
        #expect(downloader.credential == nil)
        downloader.addAuthentication(user: "anna", password: "geheim")
        #expect(downloader.credential?.user == "anna")
        #expect(await downloader.response(to: loading.request("/a")).value?.pixelSize.width == 3)
    }

    @Test func `a downloader does not coalesce downloads with different credentials`() async throws {
        let gate = Gate()
        loading.server.serve("/a", Reply(body: try Picture.png(3, 3)).hold(.head, until: gate))
        let receipts = ["anna", "anna", "ben"].map { user in
            downloader.addAuthentication(user: user, password: "geheim")
            return downloader.download(loading.request("/a"), completion: { _ in })?.request
        }
        let first = try #require(receipts[0])
        #expect(first === receipts[1] && first !== receipts[2])
        #expect(first.credential?.user == "anna" && receipts[2]?.credential?.user == "ben")
        gate.open()
        await loading.server.waitForReplies(2)
    }

    @Test func `a downloader takes a session, but none that starts by itself`() async throws {
        let own = ImageDownloader(
            session: Session(configuration: AFLoading.configuration, startRequestsImmediately: false),
            imageCache: nil)
        let request = try loading.serve("/a")
        for _ in 0..<2 { #expect(await own.response(to: request).value != nil) }
        #expect(server.requestCount() == 2)
        await #expect(processExitsWith: .failure) { _ = ImageDownloader(session: Session()) }
    }

    @Test func `a downloader has AlamofireImage's defaults`() {
        let configuration = ImageDownloader.defaultURLSessionConfiguration()
        #expect(configuration.urlCache?.memoryCapacity == 20 << 20)
        #expect(configuration.urlCache?.diskCapacity == 150 << 20)
        #expect(configuration.timeoutIntervalForRequest == 60)
        #expect(configuration.requestCachePolicy == .useProtocolCachePolicy)
        #expect(configuration.httpShouldSetCookies)
        #expect(configuration.httpAdditionalHeaders?["User-Agent"] != nil)
    }
}
