import AlcedoAF
import AlcedoTestSupport
import Foundation
import FoundationNetworking
import Testing

@Suite(.timeLimit(.minutes(10)))
struct `A serializer of responses` {
    private let serializer = ImageResponseSerializer()
    private let png: Data
    private let url: URL

    init() throws {
        png = Data(try Picture.png(4, 2))
        url = try #require(URL(string: "http://127.0.0.1/a"))
    }

    private func response(_ type: String?, status: Int = 200) -> HTTPURLResponse? {
        HTTPURLResponse(
            url: url, statusCode: status, httpVersion: nil,
            headerFields: type.map { ["Content-Type": $0] } ?? [:])
    }

    private func serialize(
        _ data: Data?, _ response: HTTPURLResponse?, method: String = "GET", url: URL? = nil,
        error: (any Error)? = nil
    ) throws -> Image {
        var request = URLRequest(url: url ?? self.url)
        request.httpMethod = method
        return try serializer.serialize(request: request, response: response, data: data, error: error)
    }

    private func afError(_ body: () throws -> Image) -> AFError? {
        do {
            _ = try body()
            return nil
        } catch { return error.asAFError }
    }

    @Test(arguments: [
        "image/png", "image/jpeg", "image/gif", "image/webp", "image/bmp", "image/ico", "image/jpg",
        "image/x-icon", "image/vnd.microsoft.icon", "image/x-bmp", "image/x-ms-bmp", "image/x-win-bitmap",
        "application/octet-stream", "IMAGE/PNG; charset=binary",
    ])
    func `a serializer takes images of every usual type`(type: String) throws {
        #expect(try serialize(png, response(type)).pixelSize.width == 4)
    }

    @Test func `a serializer rejects other types, and responses that do not name one`() throws {
        #expect(afError { try serialize(png, response("text/html")) }?.responseContentType == "text/html")
        guard
            case .responseValidationFailed(.missingContentType(let types))? = afError({
                try serialize(png, response(nil))
            })
        else {
            Issue.record("that is another error")
            return
        }
        #expect(types.contains("image/png"))
        // No codec reads the last; the others need their traits.
        var unread: Set = ["image/tiff", "image/jp2", "image/x-xbitmap"]
        #if TIFF
            unread.remove("image/tiff")
        #endif
        #if JP2
            unread.remove("image/jp2")
        #endif
        #expect(unread.isDisjoint(with: types))
        #expect(types.count { ["image/tiff", "image/jp2"].contains($0) } == 3 - unread.count)
        #expect(types == types.sorted())
    }

    @Test func `a serializer does not check the type of a file`() throws {
        #expect(try serialize(png, nil, url: URL(fileURLWithPath: "/a.png")).pixelSize.width == 4)
    }

    @Test func `a serializer passes an error on`() {
        #expect(throws: CancellationError.self) { try serialize(png, nil, error: CancellationError()) }
    }

    @Test func `a serializer rejects a response without a body, unless it may have none`() throws {
        for data in [nil, Data()] {
            guard
                case .responseSerializationFailed(.inputDataNilOrZeroLength)? = afError({
                    try serialize(data, response("image/png"))
                })
            else {
                Issue.record("that is another error")
                return
            }
            #expect(try serialize(data, response(nil, status: 204)).pixelSize.area == 1)
            #expect(try serialize(data, response(nil), method: "HEAD").pixelSize.area == 1)
        }
    }

    @Test func `a serializer rejects bytes that are no image, or a damaged one`() throws {
        var damaged = try Fixture.data("pngsuite/png/basn6a08.png")
        damaged[damaged.count / 2] ^= 0xFF
        for bytes in [Array("hello, this is no image".utf8), damaged] {
            #expect(throws: AFIError.self) { try serialize(Data(bytes), response("image/png")) }
        }
    }

    @Test func `a serializer decodes at once, unless it is set not to, at its scale`() throws {
        let lazy = ImageResponseSerializer(imageScale: 2, inflateResponseImage: false)
        let image = try lazy.serializeImage(from: png)
        #expect(image.scale == 2)
        #expect(!image.af.isInflated)
        #expect(try serializer.serializeImage(from: png).af.isInflated)
        #expect(ImageResponseSerializer.deviceScreenScale == DataRequest.imageScale)
    }

    @Test func `a serializer accepts new types`() async {
        // In a process of its own, because requests of all others would list the type, too.
        await #expect(processExitsWith: .success) {
            let tests = try `A serializer of responses`()
            let type = "image/x-alcedo-test"
            precondition(tests.afError { try tests.serialize(tests.png, tests.response(type)) } != nil)
            ImageResponseSerializer.addAcceptableImageContentTypes([type])
            let image = try tests.serialize(tests.png, tests.response(type))
            precondition(image.pixelSize.width == 4)
        }
    }

    @Test func `the serializer of a downloader or of one download creates its images`() async throws {
        // Safe because it adds nothing.
        final class Mirror: ImageResponseSerializer, @unchecked Sendable {
            override func serializeImage(from data: Data) throws -> Image {
                try super.serializeImage(from: data).af.imageScaled(to: CGSize(width: 77, height: 1))
            }
        }
        let loading = try AFLoading()
        let request = try loading.serve("/a")
        let own = await loading.downloader.response(to: request, cacheKey: "own", serializer: Mirror())
        #expect(own.value?.pixelSize.width == 77)
        loading.downloader.imageResponseSerializer = Mirror()
        #expect(await loading.downloader.response(to: request).value?.pixelSize.width == 77)
    }
}

@Suite(.timeLimit(.minutes(10)))
struct `What a download fails with` {
    let loading: AFLoading

    init() throws { loading = try AFLoading() }

    private func error(of path: String, accept: String? = nil) async -> AFIError? {
        var request = loading.request(path)
        request.setValue(accept, forHTTPHeaderField: "Accept")
        return await loading.downloader.response(to: request).error
    }

    @Test func `the error of a download is the status, if that is none of success`() async throws {
        let png = try Picture.png(2, 2)
        loading.server.serve("/404", Reply(status: 404, body: png, contentType: "image/png"))
        let response = await loading.downloader.response(to: loading.request("/404"))
        guard case .alamofireError(let error)? = response.error else {
            Issue.record("that is another error")
            return
        }
        #expect(error.responseCode == 404)
        #expect(response.response?.statusCode == 404)
        #expect(response.data == Data(png))
    }

    @Test func `the error of a download is the type, if the request does not accept it`() async throws {
        loading.server.serve("/a", try Picture.png(2, 2), contentType: "image/png")
        guard case .alamofireError(let error)? = await error(of: "/a", accept: "image/webp, image/jpeg;q=0.5")
        else {
            Issue.record("that is another error")
            return
        }
        #expect(error.acceptableContentTypes == ["image/webp", "image/jpeg"])
        #expect(await self.error(of: "/a", accept: "image/*") == nil)
    }

    @Test func `the error of a download says that it is no image`() async {
        loading.server.serve("/a", Array("no image".utf8), contentType: "image/png")
        #expect(await error(of: "/a")?.isImageSerializationFailedError == true)
    }

    @Test func `the error of a download is how the transfer failed`() async {
        loading.server.serve("/a", .nothing(.reset))
        guard case .alamofireError(.sessionTaskFailed(let cause))? = await error(of: "/a") else {
            Issue.record("that is another error")
            return
        }
        #expect((cause as? URLError)?.code == .networkConnectionLost, "\(cause)")
    }
}
