import AlcedoAF
import AlcedoTestSupport
import Foundation
import FoundationNetworking
import Testing

@Suite(.timeLimit(.minutes(10)))
struct `A request of a session` {
    let server: LoopbackServer
    let session = Session(configuration: AFLoading.configuration)
    let gate = Gate()

    init() throws {
        server = try LoopbackServer()
        server.serve("/a", try Picture.png(6, 4), contentType: "image/png")
        server.serve("/404", Reply(status: 404, body: try Picture.png(3, 3), contentType: "image/png"))
        server.serve(
            "/held", Reply(body: try Picture.png(5, 5), contentType: "image/png").hold(.head, until: gate))
    }

    @Test func `a request gives each handler an image, late ones too`() async throws {
        let request = session.request(server.address("/a"))
        #expect(request.state == .initialized)
        let responses = Recorder<AFDataResponse<Image>>()
        let queue = DispatchQueue(label: "handlers")
        request.responseImage(imageScale: 2, queue: queue) { responses.append($0) }
        request.responseImage(inflateResponseImage: false, queue: queue) { responses.append($0) }
        await responses.waitFor(count: 2)
        request.responseImage(queue: queue) { responses.append($0) }
        let images = await responses.waitFor(count: 3).compactMap(\.value)
        #expect(images.map(\.scale).sorted() == [1, 1, 2])
        #expect(images.filter { !$0.af.isInflated }.count == 1)
        #expect(server.requestCount() == 1)
        #expect(request.state == .finished)
        #expect(request.response?.statusCode == 200)
        #expect(request.data != nil)
        #expect(request.metrics?.transactionMetrics.count == 1)
    }

    @Test func `a request is not shared with another`() async throws {
        for _ in 0..<2 { _ = try await session.request(server.address("/a")).serializingImage().value }
        #expect(server.requestCount() == 2)
    }

    @Test func `a request takes any status, unless it is to be validated`() async throws {
        #expect(try await session.request(server.address("/404")).serializingImage().value.size.width == 3)
        let response = await session.request(server.address("/404")).validate().serializingImage().response
        #expect(response.error?.responseCode == 404)
        #expect(response.error?.isResponseValidationError == true)
        #expect(response.data != nil)
        let either = session.request(server.address("/404")).validate(statusCode: [200, 404])
        #expect(try await either.serializingImage().value.size.width == 3)
        let typed = session.request(server.address("/a")).validate(contentType: ["image/jpeg"])
        #expect(await typed.serializingImage().response.error?.responseContentType == "image/png")
        let own = session.request(server.address("/a")).validate { _, _, _ in .failure(CancellationError()) }
        #expect(await own.serializingImage().response.error?.underlyingError is CancellationError)
    }

    @Test func `a request starts with resume if its session says so`() async throws {
        let session = Session(configuration: AFLoading.configuration, startRequestsImmediately: false)
        let request = session.request(server.address("/a"))
        let responses = Recorder<AFDataResponse<Image>>()
        request.responseImage { responses.append($0) }
        #expect(request.state == .initialized)
        request.resume()
        await responses.waitFor(count: 1)
        #expect(server.requestCount() == 1)
    }

    @Test func `a request ends when it is cancelled, before it starts and later`() async throws {
        let request = session.request(server.address("/held"))
        let task = request.serializingImage()
        await gate.waitForArrivals(1)
        #expect(request.isResumed)
        request.cancel()
        #expect(await task.response.error?.isExplicitlyCancelledError == true)
        #expect(request.isCancelled)
        await server.waitForAbandonedReplies(1)
        let early = session.request(server.address("/a")).cancel()
        #expect(await early.serializingImage().response.error?.isExplicitlyCancelledError == true)
        #expect(server.requestCount(path: "/a") == 0)
    }

    @Test func `a request is cancelled with the task that awaits it, if that is wanted`() async throws {
        let request = session.request(server.address("/held"))
        let waiter = Task { try await request.serializingImage().value }
        await gate.waitForArrivals(1)
        waiter.cancel()
        await #expect(throws: AFError.self) { try await waiter.value }
        let staying = session.request(server.address("/held"))
        let other = Task { try await staying.serializingImage(automaticallyCancelling: false).value }
        await gate.waitForArrivals(2)
        other.cancel()
        gate.open()
        #expect(try await other.value.size.width == 5)
    }

    @Test func `a request reports progress`() async throws {
        let fractions = Recorder<Double>()
        let request = session.request(server.address("/a")).downloadProgress {
            fractions.append($0.fractionCompleted)
        }
        _ = try await request.serializingImage().value
        #expect(await fractions.wait { $0.last == 1 })
    }

    @Test func `a request sends method, headers, credentials and the session's own headers`() async throws {
        let png = try Picture.png(2, 2)
        server.route("/secret") { request in
            request.header("authorization") == nil
                ? .status(401, headers: [("WWW-Authenticate", "Basic realm=\"x\"")])
                : Reply(body: png, contentType: "image/png")
        }
        let request = session.request(server.address("/secret"), method: .post, headers: ["X-Own": "1"]) {
            $0.httpBody = Data("body".utf8)
        }
        _ = try await request.authenticate(username: "a", password: "b").serializingImage().value
        let last = try #require(server.requests().last)
        #expect(last.method == "POST")
        #expect(last.header("x-own") == "1")
        #expect(last.header("user-agent")?.contains("Alcedo") == true)
        #expect(last.body == Array("body".utf8))
    }

    @Test func `a request that can't be created calls its handlers`() async {
        let response = await session.request("http://[").serializingImage().response
        #expect(response.error?.isInvalidURLError == true)
        #expect(response.request == nil)
    }

    @Test func `the request of a receipt is the shared one, and ends all its shares`() async throws {
        let loading = try AFLoading()
        let wanted = try loading.serve("/a", until: gate)
        let responses = AFRecorder()
        let receipts = (0..<2).compactMap { _ in
            loading.downloader.download(wanted) { responses.append($0) }
        }
        await gate.waitForArrivals(1)
        #expect(receipts[0].request === receipts[1].request)
        let images = Recorder<AFDataResponse<Image>>()
        receipts[0].request.responseImage { images.append($0) }
        receipts[0].request.cancel()
        #expect(await responses.waitFor(count: 2).allSatisfy { $0.error?.isRequestCancelledError == true })
        #expect(await images.waitFor(count: 1)[0].error?.isExplicitlyCancelledError == true)
    }
}

struct `Header fields` {
    @Test func `header fields have names without case, and one value each`() {
        var headers: HTTPHeaders = ["Accept": "a", "accept": "b", "X": "1"]
        #expect(headers.count == 2)
        #expect(headers["ACCEPT"] == "b")
        headers["x"] = nil
        headers.add(.contentType("image/png"))
        #expect(headers.dictionary == ["accept": "b", "Content-Type": "image/png"])
        #expect(HTTPHeader.authorization(username: "a", password: "b").value == "Basic YTpi")
    }
}

extension `A request of a session` {
    @Test func `a request delivers its bytes`() async throws {
        let responses = Recorder<AFDataResponse<Data?>>()
        let datas = Recorder<AFDataResponse<Data>>()
        session.request(server.address("/a")).response { responses.append($0) }
        session.request(server.address("/a")).responseData { datas.append($0) }
        let expected = Data(try Picture.png(6, 4))
        #expect(await responses.waitFor(count: 1)[0].value == expected)
        #expect(await datas.waitFor(count: 1)[0].value == expected)
    }

    @Test func `a request fails as data if there are no bytes, unless the status says so`() async throws {
        server.serve("/empty", Reply(body: []))
        server.serve("/204", .status(204))
        let datas = Recorder<AFDataResponse<Data>>()
        session.request(server.address("/empty")).responseData { datas.append($0) }
        #expect(await datas.waitFor(count: 1)[0].error?.isResponseSerializationError == true)
        session.request(server.address("/204")).responseData { datas.append($0) }
        #expect(await datas.waitFor(count: 2)[1].value == Data())
        let responses = Recorder<AFDataResponse<Data?>>()
        session.request(server.address("/empty")).response { responses.append($0) }
        #expect(await responses.waitFor(count: 1)[0].error == nil)
    }

    @Test func `a request accepts any response, unless it or its session says otherwise`() async throws {
        let configuration = AFLoading.configuration
        configuration.httpAdditionalHeaders = ["accept": "image/png"]
        let picky = Session(configuration: configuration)
        _ = await session.request(server.address("/a")).serializingImage().response
        _ = await session.request(server.address("/a"), headers: ["Accept": "image/webp"]).serializingImage()
            .response
        _ = await picky.request(server.address("/a")).serializingImage().response
        #expect(server.requests().map { $0.header("Accept") } == ["*/*", "image/webp", "image/png"])
        #expect(session.session.configuration.timeoutIntervalForRequest > 0)
    }

    @Test func `a request is not sent with a body that its method can't have`() async throws {
        let request = session.request(server.address("/a")) { $0.httpBody = Data("bird".utf8) }
        let response = await request.serializingImage().response
        #expect(response.error?.isRequestValidationError == true)
        #expect(response.error?.errorDescription?.contains("4 bytes") == true)
        #expect(server.requestCount() == 0)
    }

    @Test func `a request has a URLError if the transfer failed, and its credential`() async throws {
        server.serve("/cut", Reply(body: try Picture.png(40, 40)).cut(after: 20))
        let request = session.request(server.address("/cut")).authenticate(username: "a", password: "b")
        #expect(request.credential?.user == "a")
        let response = await request.serializingImage().response
        #expect((response.error?.underlyingError as? URLError)?.code == .networkConnectionLost)
    }
}
