import AlcedoTestSupport
import Foundation
import Testing

@Suite(.timeLimit(.minutes(10)))
struct `Options of alcedo's loads` {
    let server: LoopbackServer
    let folder: TemporaryDirectory
    let cacheHome: TemporaryDirectory
    let program: Program

    init() throws {
        server = try LoopbackServer()
        folder = try TemporaryDirectory()
        cacheHome = try TemporaryDirectory()
        program = Program(cacheHome: cacheHome.url, folder: folder.url)
    }

    private let photo = Fixture.url("jpeg/testorig.jpg").path

    private func size(_ name: String) throws -> Int { try Data(contentsOf: folder.file(name)).count }

    @Test(arguments: ["jpg", "webp", "jxl"])
    func `--quality makes a smaller file with a lower value`(_ name: String) async throws {
        let help = try await program.run("get", "--help")
        guard name != "jxl" || help.text.contains("jxl") else { return }
        for quality in ["10", "95"] {
            let outcome = try await program.run(
                "get", photo, "-o", "\(quality).\(name)", "--quality", quality)
            #expect(outcome.code == 0, "\(outcome.errors)")
        }
        #expect(try size("10.\(name)") < size("95.\(name)"))
    }

    @Test func `--quality encodes an unchanged JPEG anew, and leaves formats without one`() async throws {
        let outcome = try await program.run("get", photo, "--quality", "5")
        #expect(outcome.code == 0 && outcome.text.contains("JPEG"), "\(outcome.errors)")
        #expect(try size("testorig.jpg") < Data(contentsOf: URL(fileURLWithPath: photo)).count)
        let image = Fixture.url("gif/fire.gif").path
        #expect(try await program.run("get", image, "--quality", "5").code == 0)
        #expect(try Data(contentsOf: folder.file("fire.gif")) == Data(Fixture.data("gif/fire.gif")))
    }

    @Test func `--max-bytes writes the best file that is small enough, or none`() async throws {
        // A file that is small enough stays as it is.
        #expect(try await program.run("get", photo, "--max-bytes", "100000").code == 0)
        let original = try Data(contentsOf: URL(fileURLWithPath: photo))
        #expect(try Data(contentsOf: folder.file("testorig.jpg")) == original)
        for (name, most) in [("a.jpg", 4000), ("b.webp", 2500)] {
            let outcome = try await program.run("get", photo, "-o", name, "--max-bytes", "\(most)")
            #expect(outcome.code == 0, "\(outcome.errors)")
            let count = try size(name)
            #expect((most * 8 / 10...most).contains(count), "\(count)")
        }
        let coarse = try await program.run(
            "get", photo, "-o", "c.jpg", "--max-bytes", "4000", "--quality", "10")
        #expect(coarse.code == 0)
        #expect(try size("c.jpg") < size("a.jpg") * 8 / 10)
        for name in ["d.jpg", "d.png"] {
            let outcome = try await program.run("get", photo, "-o", name, "--max-bytes", "500")
            #expect(outcome.code == 1)
            #expect(outcome.errors.contains("the target is 500 bytes"), "\(outcome.errors)")
        }
        let gif = try await program.run("get", Fixture.url("gif/fire.gif").path, "--max-bytes", "500")
        #expect(gif.code == 1 && gif.errors.contains("more than --max-bytes"), "\(gif.errors)")
    }

    @Test func `--target-ssim writes a smaller file for less similarity`() async throws {
        for ssim in ["0.9", "0.98"] {
            let outcome = try await program.run("get", photo, "-o", "\(ssim).webp", "--target-ssim", ssim)
            #expect(outcome.code == 0, "\(outcome.errors)")
        }
        #expect(try size("0.9.webp") < size("0.98.webp"))
        let both = try await program.run("get", photo, "--target-ssim", "1", "--max-bytes", "9")
        #expect(both.code == 2 && both.errors.contains("exclude each other"))
    }

    @Test(arguments: ["get", "info", "prefetch", "show"])
    func `--header sends a field with each request`(_ command: String) async throws {
        server.serve("/a.gif", try Fixture.data("gif/fire.gif"))
        let headers = ["--header", "X-One: 1", "--header=Accept:image/gif", "--header", "X-One: zwei, drei"]
        let words = command == "prefetch" ? [command] : [command, server.address("/a.gif")]
        let outcome = try await program.start(words + headers, input: server.address("/a.gif")).outcome()
        #expect(outcome.code == 0, "\(outcome.errors)")
        let request = try #require(server.requests().first)
        let values = request.headers.filter { $0.name == "X-One" }.map(\.value)
        #expect(values.joined(separator: ",") == "1,zwei, drei")
        #expect(request.headers.filter { $0.name == "Accept" }.map(\.value) == ["image/gif"])
    }

    @Test func `--header sends a credential to no other host after a redirect`() async throws {
        let other = try LoopbackServer()
        other.serve("/a.gif", try Fixture.data("gif/fire.gif"))
        server.serve("/a.gif", .redirect(to: other.address("/a.gif")))
        let outcome = try await program.run(
            "get", server.address("/a.gif"), "--header", "Authorization: Bearer f00", "--header", "X-One: 1")
        #expect(outcome.code == 0, "\(outcome.errors)")
        #expect(server.requests().first?.header("Authorization") == "Bearer f00")
        #expect(other.requests().first?.header("Authorization") == nil)
        #expect(other.requests().first?.header("X-One") == "1")
    }

    @Test func `--timeout ends a load`() async throws {
        let gate = Gate()
        server.serve("/a.gif", Reply(body: try Fixture.data("gif/fire.gif")).hold(.head, until: gate))
        let outcome = try await program.run("get", server.address("/a.gif"), "--timeout", "0.2")
        #expect(outcome.code == 1)
        #expect(outcome.errors.contains("/a.gif") && outcome.errors.contains("0.2"), "\(outcome.errors)")
        gate.open()
    }

    @Test(arguments: ["get", "info", "show"])
    func `--max-pixels rejects an image with more pixels`(_ command: String) async throws {
        let outcome = try await program.run(command, photo, "--max-pixels", "30000")
        #expect(outcome.code == 1 && outcome.errors.contains("30000"), "\(outcome.errors)")
        #expect(try await program.run(command, photo, "--max-pixels", "33823").code == 0)
    }

    @Test func `info tells the size of an image beyond the limit, as it decodes nothing`() async throws {
        var bytes = try Data(contentsOf: URL(fileURLWithPath: photo))
        // Behind the mark of the frame: two bytes of length, one of precision, then the height and the width.
        let frame = try #require(bytes.range(of: Data([0xFF, 0xC0]))).upperBound
        bytes.replaceSubrange(frame + 3..<frame + 7, with: [0x1F, 0x40, 0x1F, 0x40])
        try bytes.write(to: folder.file("large.jpg"))
        let outcome = try await program.run("info", "large.jpg")
        #expect(outcome.code == 0 && outcome.text.contains("8000×8000"), "\(outcome.errors)")
        let hashed = try await program.run("info", "large.jpg", "--hash")
        #expect(hashed.code == 1 && hashed.errors.contains("50000000"), "\(hashed.errors)")
    }

    @Test func `--jobs limits the loads at the same time`() async throws {
        let gate = Gate()
        let reply = Reply(body: try Fixture.data("gif/fire.gif")).hold(.body, until: gate)
        for name in ["/a.gif", "/b.gif", "/c.gif"] { server.serve(name, reply) }
        let addresses = ["/a.gif", "/b.gif", "/c.gif"].map { server.address($0) }
        let running = try program.start(["get"] + addresses + ["--jobs", "2", "--timeout", "600"])
        await server.waitForRequests(2)
        #expect(server.requestCount() == 2)
        gate.open()
        #expect(await running.outcome().code == 0)
        #expect(server.requestCount() == 3)
        #expect(server.traffic.mostInProgress == 2)
    }

    @Test(arguments: [
        ["--max-bytes", "0"], ["--target-ssim", "1.1"],
        ["--quality", "0"], ["--quality", "101"], ["--quality", "90.5"], ["--quality", "nan"],
        ["--jobs", "0"], ["--jobs", "65"], ["--jobs", "many"], ["--timeout", "0"], ["--timeout", "-1"],
        ["--timeout", "nan"], ["--timeout", "1e300"], ["--max-pixels", "0"], ["--max-pixels", "1e9"],
        ["--max-pixels", "99999999999999999999"], ["--resize", "65535x65535"], ["--round", "1e300"],
        ["--round", "99999"], ["--header", "no colon"], ["--header", "a b: c"], ["--header", ": c"],
        ["--header", "a:"], ["--header", "a: b\r\nc: d"], ["--header", "a: \u{7}"],
        ["--header", "a\n: b"],
    ])
    func `a load option rejects a value that makes no sense`(_ option: [String]) async throws {
        let outcome = try await program.start(["get", photo] + option).outcome()
        #expect(outcome.code == 2 && outcome.output.isEmpty)
        #expect(outcome.errors.contains("alcedo: \(option[0]) takes "), "\(outcome.errors)")
        #expect(outcome.errors.split(separator: "\n").count == 1 && !outcome.errors.contains("\r"))
    }

    @Test func `--header does not repeat a field that it rejects, which may be a credential`() async throws {
        let outcome = try await program.run("get", photo, "--header", "Authorization Bearer f00")
        #expect(outcome.code == 2 && !outcome.errors.contains("f00"))
    }
}
