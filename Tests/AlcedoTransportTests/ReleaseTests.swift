import AlcedoTestSupport
import AlcedoTransport
import Foundation
import Testing

/// Opens a gate when it is freed.
private final class Witness: TransportHandler {
    let end = Gate()
    private let freed: Gate

    init(_ freed: Gate) { self.freed = freed }

    deinit { freed.open() }

    func transferDidFinish(_ result: Result<TransferResult, TransportError>) { end.open() }
}

/// Keeps nothing.
private final class EmptyStore: ResponseStore {
    var generation: Int { 0 }

    func find(_ key: String, _ found: @escaping @Sendable (StoredResponse?) -> Void) { found(nil) }

    func store(_ response: StoredResponse, forKey key: String, generation: Int) {}

    func remove(forKey key: String) {}

    func invalidate(_ keys: [String]) {}
}

/// A task is what a caller may keep for as long as it likes.
@Suite(.timeLimit(.minutes(10)))
struct `The handler of a transfer that is over` {
    let server: LoopbackServer
    let folder: TemporaryDirectory
    let gate = Gate()

    init() throws {
        server = try LoopbackServer()
        folder = try TemporaryDirectory()
        server.serve("/a", .text("bird", headers: [("Cache-Control", "max-age=60")]))
        server.serve("/held", Reply.text("bird").hold(.body, until: gate))
        server.serve("/broken", Reply.text("bird").cut(after: 1))
    }

    /// Loads, and waits until the handler is freed though the task is not.
    private func load(_ url: String, by transport: any Transport, isCancelled: Bool = false) async {
        let freed = Gate()
        let task = await start(url, by: transport, freed, isCancelled: isCancelled)
        await freed.pass()
        withExtendedLifetime(task) {}
    }

    private func start(
        _ url: String, by transport: any Transport, _ freed: Gate, isCancelled: Bool
    ) async -> any TransportTask {
        let witness = Witness(freed)
        let task = transport.start(.patient(url), handler: witness)
        if isCancelled { task.cancel() }
        await witness.end.pass()
        return task
    }

    @Test(arguments: ["curl", "cache", "standard"])
    func `the handler of a finished transfer is freed`(name: String) async throws {
        let transport: any Transport =
            switch name {
            case "curl": CurlTransport()
            case "cache": CachingTransport(CurlTransport(), store: EmptyStore())
            default: StandardTransport()
            }
        for path in ["/a", "/broken"] { await load(server.address(path), by: transport) }
        await load(server.address("/held"), by: transport, isCancelled: true)
        await load("http://", by: transport)
    }

    @Test(arguments: ["local", "cache", "standard"])
    func `the handler of a finished transfer without a network is freed`(name: String) async throws {
        let transport: any Transport =
            switch name {
            case "local": LocalTransport()
            case "cache": CachingTransport(StandardTransport(), store: EmptyStore())
            default: StandardTransport()
            }
        let file = folder.url.appending(path: "a")
        try Data([1, 2, 3]).write(to: file)
        for url in [file.absoluteString, "data:,bird"] {
            for isCancelled in [false, true] { await load(url, by: transport, isCancelled: isCancelled) }
        }
        for url in [file.absoluteString + "x", "data:bird"] { await load(url, by: transport) }
    }
}
