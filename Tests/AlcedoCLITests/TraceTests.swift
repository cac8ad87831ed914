import AlcedoTestSupport
import Foundation
import Testing

@Suite(.timeLimit(.minutes(10)))
struct `alcedo get --trace` {
    let server: LoopbackServer
    let folder: TemporaryDirectory
    let cacheHome: TemporaryDirectory
    let program: Program

    init() throws {
        server = try LoopbackServer()
        folder = try TemporaryDirectory()
        cacheHome = try TemporaryDirectory()
        program = Program(cacheHome: cacheHome.url, folder: folder.url)
        server.serve("/a.gif", try Fixture.data("gif/fire.gif"))
    }

    private let stages = [
        "queued", "cacheLookedUp", "waiting", "transferring", "transferred", "decoding", "storing",
        "delivered",
    ]

    @Test func `--trace prints a table for each load, beside the image's line`() async throws {
        let address = server.address("/a.gif")
        let outcome = try await program.run("get", address, "--trace")
        #expect(outcome.code == 0 && outcome.text.split(separator: "\n").count == 1)
        let lines = outcome.errors.split(separator: "\n").map(String.init)
        #expect(lines.first == address)
        #expect(lines.dropFirst(3).compactMap { $0.split(separator: " ").first.map(String.init) } == stages)
        #expect(lines.dropFirst(3).allSatisfy { $0.contains(" ms") })
    }

    @Test func `--trace prints fields with --json, from the cache and for failures too`() async throws {
        let bytes = try Fixture.data("gif/fire.gif").count
        let words = ["/a.gif", "/a.gif", "/missing"].map { server.address($0) }
        var traces: [[[String: Any]]] = []
        for word in words {
            let outcome = try await program.run("get", word, "--trace", "--json", "--force")
            let object = try #require(
                try JSONSerialization.jsonObject(with: outcome.output) as? [String: Any])
            traces.append(try #require(object["trace"] as? [[String: Any]]))
            #expect(!outcome.errors.contains("stage"))
        }
        #expect(
            traces.map { $0.compactMap { $0["stage"] as? String } } == [
                stages, ["queued", "cacheLookedUp", "delivered"],
                ["queued", "cacheLookedUp", "waiting", "transferring", "failed"],
            ])
        #expect(traces[0].compactMap { $0["bytes"] as? Int } == [bytes, bytes, bytes])
        #expect(traces[1].compactMap { $0["tier"] as? String } == ["disk", "disk"])
        #expect((traces[2].last?["error"] as? String)?.contains("404") == true)
        for trace in traces {
            let starts = trace.compactMap { $0["start"] as? Double }
            #expect(starts.count == trace.count && starts == starts.sorted() && starts.first == 0)
            #expect(trace.compactMap { $0["duration"] as? Double }.count == trace.count - 1)
        }
    }

    @Test func `--trace leaves the image alone on standard output`() async throws {
        let outcome = try await program.run("get", server.address("/a.gif"), "-o", "-", "--trace")
        #expect(outcome.output == Data(try Fixture.data("gif/fire.gif")))
        #expect(outcome.errors.contains("delivered"))
    }
}
