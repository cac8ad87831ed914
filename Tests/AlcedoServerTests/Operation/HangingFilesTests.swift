import AlcedoHTTPServer
import AlcedoPixels
import AlcedoTestSupport
import Foundation
import Testing

@testable import AlcedoServer

/// A local root with a folder that hangs, beside one that works and an origin that does.
@Suite(.timeLimit(.minutes(10))) struct `A folder that hangs` {
    private let folder: TemporaryDirectory
    private let origin: ImageOrigin
    private let admission: Admission
    private let hold: Gate
    private let png: [UInt8]

    init() throws {
        (folder, hold) = (try TemporaryDirectory(), Gate())
        png = try Bitmap.coordinates(40, 30).encoded(as: .png)
        for name in ["hung", "fine"] {
            try FileManager.default.createDirectory(at: folder.file(name), withIntermediateDirectories: false)
            for number in 0..<20 { try Data(png).write(to: folder.file("\(name)/\(number).png")) }
        }
        let (root, gate, admission) = (folder.path, hold, Admission(places: 8, queueSize: 0))
        self.admission = admission
        origin = try ImageOrigin {
            $0.sources.localRoot = root
            var files = FileAccess()
            files.open = { path, root throws(RequestFailure) in
                if path.hasPrefix("/hung/") { gate.wait() }
                return try LocalSource(path, below: root)
            }
            $0.engine = ServerEngine(
                workers: 4, admission: admission, retrying: .seconds(600), files: files)
        }
        for number in 0..<20 { origin.server.serve("/\(number)", png) }
    }

    private func handler(timeout seconds: Double = 600) -> ImageHandler {
        var sources = origin.sources
        sources.downloadTimeout = seconds
        return ImageHandler(
            rules: origin.rules, sources: sources, responses: origin.responses, engine: origin.engine)
    }

    private func local(_ path: String, _ options: String = "w:20") -> HTTPRequest {
        .get("/unsafe/\(options)/plain/local:///\(path)")
    }

    /// Has 50 requests for files that hang.
    private func hang(_ options: String = "w:20") async -> [ServerResponse] {
        let handler = handler(timeout: 0.01)
        return await withTaskGroup(of: ServerResponse.self) { group in
            for number in 0..<50 {
                let request = local("hung/\(number).png", options)
                group.addTask { await handler.patientResponse(to: request) }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
    }

    @Test(arguments: ["w:20", "raw:1"])
    func `a folder that hangs ends requests for it, and keeps no place and few threads`(_ options: String)
        async
    {
        let responses = await hang(options)
        #expect(responses.count == 50)
        for response in responses {
            #expect([503, 504].contains(response.status) && response.header("Retry-After") == "1")
            #expect(response.text == "Local source does not respond")
            #expect(response.reason?.hasPrefix("local:///hung/") == true, "\(response.reason ?? "")")
        }
        #expect((admission.running, admission.waiting) == (0, 0))
        #expect((3...8).contains(origin.engine.sources.local.abandoned))
        #expect(origin.engine.workers.running == 0)
        let late = await handler().patientResponse(to: local("hung/51.png", options))
        #expect(late.status == 503 && late.reason?.hasPrefix("local:///hung/ has not responded for") == true)
        hold.open()
    }

    @Test func `a folder that hangs stops no image of other sources, and recovers`() async {
        _ = await hang()
        let handler = handler()
        for number in 0..<20 {
            #expect(await handler.patientResponse(to: local("fine/\(number).png")).status == 200)
            #expect(
                await handler.patientResponse(to: .get(origin.target("w:20", "/\(number)"))).status == 200)
        }
        hold.open()
        while origin.engine.sources.local.abandoned > 0, !Task.isCancelled { await Task.yield() }
        for number in 0..<20 {
            #expect(await handler.patientResponse(to: local("hung/\(number).png")).status == 200)
        }
    }

    @Test func `a folder that hangs fails without a place for work when others have all`() async {
        _ = await hang()
        let others = Callers(admission)
        while admission.running < admission.places, await others.enter() == nil {}
        #expect(await handler().patientResponse(to: local("hung/51.png")).status == 503)
        others.leaveAll()
        hold.open()
    }

    @Test func `a folder that hangs ends with the request if that has less time`() async {
        let response = await handler().response(
            to: local("hung/1.png"), until: .now + .milliseconds(50))
        #expect(response.status == 503)
        while admission.running > 0, !Task.isCancelled { await Task.yield() }
        hold.open()
    }

    @Test func `a folder that hangs is reported by readiness, metrics and the log`() async throws {
        let handler = RequestHandler(
            settings: try SettingTexts().settings(), log: RequestLog(LogWriter { _ in }),
            engine: origin.engine)
        func ready() -> String {
            let response = handler.immediateResponse(to: .get("/ready"))
            return response.map { "\($0.status) \(String(decoding: $0.body, as: UTF8.self))" } ?? ""
        }
        let lines = Recorder<String>()
        origin.engine.sources.log { lines.append("\($0): \($1)") }
        #expect(origin.engine.sources.readiness == .ready && ready() == "200 Ready")
        _ = await hang()
        // No other source has responded.
        #expect(origin.engine.sources.readiness == .unready)
        #expect(ready() == "503 Local sources do not respond")
        _ = await self.handler().patientResponse(to: local("fine/1.png"))
        #expect(origin.engine.sources.readiness == .degraded)
        #expect(ready() == "200 Ready, but some local sources do not respond")
        var text = MetricsText(namespace: "")
        let figures = origin.engine.sources.figures
        figures.write(to: &text)
        let count = figures.abandonedCalls.first?.count ?? 0
        #expect(figures.abandonedCalls.map(\.source) == ["local:///"] && (3...8).contains(count))
        #expect(
            text.text.contains("\nabandoned_calls_total{source=\"local:///\"} \(count)\n"), "\(text.text)")
        #expect(text.text.contains("\nlost_threads \(figures.lostThreads)\n") && figures.lostThreads >= 3)
        #expect(text.text.contains("\nunresponsive_folders 1\n"))
        #expect(
            lines.values == [
                "warning: local:///hung/ does not respond: requests for it fail until a call returns"
            ])
        hold.open()
        await lines.wait { $0.count == 2 }
        #expect(lines.values.last?.hasPrefix("warning: local:///hung/ responds again, after ") == true)
        while origin.engine.sources.local.abandoned > 0, !Task.isCancelled { await Task.yield() }
        #expect(origin.engine.sources.readiness == .ready)
    }

    @Test func `a folder that hangs is no reason to be unready for a server with other sources`() async {
        #expect(await handler().patientResponse(to: .get(origin.target("w:20", "/1"))).status == 200)
        _ = await hang()
        #expect(origin.engine.sources.readiness == .degraded)
        hold.open()
    }

    @Test func `a folder that hangs is counted by its own name, however many hosts are`() {
        let sources = origin.engine.sources
        for number in 0..<200 { sources.abandoned("host\(number)") }
        for name in ["local:///", "settings", "cache"] { sources.abandoned(name) }
        let counts = Dictionary(
            uniqueKeysWithValues: sources.figures.abandonedCalls.map { ($0.source, $0.count) })
        #expect(counts["local:///"] == 1 && counts["settings"] == 1 && counts["cache"] == 1)
        #expect(counts["other"] == 100)
    }

    @Test func `a server without threads for files is unready, and names the folders`()
        async throws
    {
        let (sources, lines) = (origin.engine.sources, Recorder<String>())
        sources.log { lines.append("\($0): \($1)") }
        _ = await handler().patientResponse(to: local("fine/1.png"))
        #expect(sources.readiness == .ready)
        // Two files of each of 32 folders, each beside one that responds.
        for number in 0..<64 {
            let path = "/\(number / 2)/\(number % 2)"
            let hung = await sources.local.run(path, limit: .milliseconds(1)) { [hold] _ in hold.wait() }
            guard case .failure = hung else {
                Issue.record("a call returned")
                break
            }
            guard number < 63 else { break }
            _ = await sources.local.run("/fine/1.png", limit: .seconds(600)) { _ in }
        }
        #expect(sources.readiness == .unready)
        let response = await handler().patientResponse(to: local("fine/2.png"))
        #expect(response.status == 503 && response.header("Retry-After") == "1")
        let reason = response.reason ?? ""
        #expect(reason.hasPrefix("no thread is left for local:///fine/2.png, "), "\(reason)")
        #expect(reason.contains("files in local:///0/ and local:///1/ have not returned"), "\(reason)")
        #expect(lines.values.filter { $0.contains("all threads for files hang") }.count == 1)
        hold.open()
        while sources.local.abandoned > 0, !Task.isCancelled { await Task.yield() }
        #expect(sources.readiness == .ready)
        #expect(await handler().patientResponse(to: local("fine/2.png")).status == 200)
    }

    @Test func `an origin that takes too long is counted, too`() async {
        let gate = Gate()
        origin.server.serve("/held", Reply(body: png).hold(.head, until: gate))
        let response = await handler(timeout: 0.05).patientResponse(to: .get(origin.target("w:20", "/held")))
        #expect(response.status == 504)
        let host = origin.server.address("/").split(separator: "/")[1]
        #expect(origin.engine.sources.figures.abandonedCalls.map(\.source) == [String(host)])
        gate.open()
    }
}

@Suite(.timeLimit(.minutes(10))) struct `A setting's file that hangs` {
    @Test
    func
        `a setting's file that hangs fails images with the watermark at once from the second on, and no others`()
        async throws
    {
        let (hold, png) = (Gate(), try Bitmap.coordinates(40, 30).encoded(as: .png))
        var origin = try ImageOrigin { origin in
            var files = FileAccess()
            files.read = { _ in
                hold.wait()
                return Data(png)
            }
            origin.engine = ServerEngine(retrying: .seconds(600), files: files)
        }
        origin.server.serve("/s", png)
        origin.responses.watermark = .path("/mnt/watermark.png")
        var hasty = origin
        hasty.sources.downloadTimeout = 0.01
        let source = SourceLoader(rules: hasty.sources, engine: hasty.engine)
        guard case .failed(let first) = await source.load(.path("/mnt/watermark.png")) else {
            Issue.record("the file was read")
            return
        }
        #expect(first.status == 504 && first.reason.contains("/mnt/watermark.png"))
        let second = await origin.get("w:20/wm:1", "/s")
        #expect(second.status == 503 && second.header("Retry-After") == "1")
        #expect(second.reason?.contains("/mnt/watermark.png has not responded for") == true)
        #expect(await origin.get("w:20", "/s").status == 200)
        hold.open()
        while origin.engine.sources.settings.abandoned > 0, !Task.isCancelled { await Task.yield() }
        #expect(await origin.get("w:20/wm:1", "/s").status == 200)
    }
}
