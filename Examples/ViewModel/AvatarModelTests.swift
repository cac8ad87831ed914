import Alcedo
import AlcedoTesting
import Foundation
import Testing

// How a program tests code that loads images: without a server, a display or a pause.

@MainActor
final class `A user's picture` {
    private let transport = MemoryTransport()
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    private let states = Recorder<AvatarModel.State>()
    private let model: AvatarModel
    private let url: URL

    init() throws {
        url = try #require(URL(string: "https://example.com/ann.png"))
        let manager = KingfisherManager(
            downloader: ImageDownloader(name: "test", transport: transport),
            cache: try ImageCache(name: "test", cacheDirectoryURL: folder))
        manager.defaultOptions = [.cacheMemoryOnly]
        model = AvatarModel(manager: manager)
        model.stateChanged = { [states] in states.append($0) }
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    @Test func `is shown once it has been loaded`() async throws {
        transport.respond(to: url, with: try .image(.solid(width: 40, height: 30)))
        await model.load(url)
        #expect(model.state.image?.size == CGSize(width: 40, height: 30))
        #expect(transport.requests.values.map(\.url) == [url])
    }

    @Test func `shows how much has been loaded`() async throws {
        let gate = Gate()
        let whole = try ScriptedResponse.image(.solid(width: 40, height: 30))
        transport.respond(to: url, with: whole.inChunks(of: whole.body.count / 2, each: gate))
        let load = Task { await model.load(url) }
        gate.admit(1)
        await states.wait { $0.contains { $0.fraction > 0.4 && $0.fraction < 1 } }
        gate.open()
        await load.value
        #expect(model.state.image != nil)
    }

    @Test func `is empty if the server has none`() async {
        transport.respond(to: url, with: ScriptedResponse(status: 404))
        await model.load(url)
        #expect(model.state.isEmpty)
    }

    @Test func `is loaded again after the connection broke`() async throws {
        transport.respond(
            to: url, with: .failure(.cannotConnect(reason: "no route", url: url.absoluteString)),
            try .image(.solid(width: 40, height: 30)))
        await model.load(url)
        #expect(model.state.failure?.contains("no route") == true)
        await model.load(url)
        #expect(model.state.image != nil)
    }
}

extension AvatarModel.State {
    fileprivate var isEmpty: Bool { if case .empty = self { true } else { false } }
    fileprivate var image: Image? { if case .shown(let image) = self { image } else { nil } }
    fileprivate var failure: String? { if case .failed(let text) = self { text } else { nil } }
    fileprivate var fraction: Double { if case .loading(let fraction) = self { fraction } else { 0 } }
}
