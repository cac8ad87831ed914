import AlcedoHTTPServer
import AlcedoPixels
import AlcedoTestSupport
import Foundation
import Testing

@testable import AlcedoServer

/// Two origins, of which one does not respond.
@Suite(.timeLimit(.minutes(10))) struct `An origin that hangs` {
    private let hanging: ImageOrigin
    private let working: ImageOrigin
    private let admission: Admission
    private let hold = Gate()

    init() throws {
        let png = try Bitmap.coordinates(40, 30).encoded(as: .png)
        let admission = Admission(places: 4, queueSize: 0)
        self.admission = admission
        hanging = try ImageOrigin {
            $0.engine = ServerEngine(admission: admission, retrying: .seconds(600))
        }
        working = try ImageOrigin()
        for number in 0..<20 {
            hanging.server.serve("/\(number)", Reply(body: png).hold(.head, until: hold))
            working.server.serve("/\(number)", png)
        }
    }

    @Test(arguments: ["w:20", "raw:1"])
    func `an origin that hangs keeps half of the places, and no worker, from images of others`(
        _ options: String
    ) async {
        let handler = hanging.handler
        await withTaskGroup(of: Int.self) { group in
            for number in 0..<20 {
                let target = hanging.target(options, "/\(number)")
                group.addTask { await handler.patientResponse(to: .get(target)).status }
            }
            while admission.waiting < 18, !Task.isCancelled { await Task.yield() }
            for number in 0..<20 {
                let target = working.target(options, "/\(number)")
                #expect(await handler.patientResponse(to: .get(target)).status == 200)
            }
            #expect((admission.running, admission.waiting) == (2, 18))
            #expect(hanging.engine.workers.running == 0)
            hold.open()
            #expect(await group.allSatisfy { $0 == 200 })
        }
        #expect((admission.running, admission.waiting) == (0, 0))
    }

    /// Has images of the origin time out until it counts as one that does not respond.
    private func timeOut(_ options: String, _ hanging: ImageOrigin) async {
        var hasty = hanging
        hasty.sources.downloadTimeout = 0.01
        let handler = hasty.handler
        var late = 0
        while hanging.engine.sources.figures.unresponsiveOrigins == 0, late < 20, !Task.isCancelled {
            let response = await handler.patientResponse(to: .get(hanging.target(options, "/\(late)")))
            #expect(response.status == 504 && response.header("Retry-After") == "1")
            late += 1
        }
        #expect(late >= 3 && hanging.engine.sources.figures.unresponsiveOrigins == 1)
    }

    @Test(arguments: ["w:20", "raw:1"])
    func `an origin that hangs fails at once after three images, without a place, and is named`(
        _ options: String
    ) async {
        let lines = Recorder<String>()
        hanging.engine.sources.log { lines.append("\($0): \($1)") }
        await timeOut(options, hanging)
        let host = String(hanging.server.address("/").split(separator: "/")[1])
        let callers = Callers(admission)
        for _ in 0..<admission.places { #expect(await callers.enter() == nil) }
        let response = await hanging.get(options, "/19")
        #expect(response.status == 503 && response.header("Retry-After") == "1")
        #expect(response.text == "Source does not respond")
        #expect(
            response.reason?.hasPrefix("\(host) has not responded for") == true, "\(response.reason ?? "")")
        callers.leaveAll()
        let target = working.target(options, "/9")
        #expect(await hanging.handler.patientResponse(to: .get(target)).status == 200)
        #expect(hanging.engine.sources.figures.unresponsiveOrigins == 1)
        #expect(
            lines.values == ["warning: \(host) does not respond: requests for it fail until a trial succeeds"]
        )
        hold.open()
    }

    @Test(arguments: ["w:20", "raw:1"])
    func `an origin that hangs is tried again, and serves`(_ options: String) async {
        var hanging = hanging
        hanging.engine = ServerEngine(retrying: .zero)
        await timeOut(options, hanging)
        hold.open()
        for number in 0..<20 { #expect(await hanging.get(options, "/\(number)").status == 200) }
        #expect(hanging.engine.sources.figures.unresponsiveOrigins == 0)
    }

    @Test func `an origin that hangs leaves its originals that are kept, each with a place`() async throws {
        var hanging = hanging
        hanging.responses.keepsOriginals = true
        hanging.server.serve("/kept", try Bitmap.coordinates(40, 30).encoded(as: .png))
        #expect(await hanging.get("w:20", "/kept").status == 200)
        await timeOut("w:20", hanging)
        let callers = Callers(admission)
        for _ in 0..<admission.places { #expect(await callers.enter() == nil) }
        let origin = hanging
        async let response = origin.get("w:10", "/kept")
        while admission.waiting == 0, !Task.isCancelled { await Task.yield() }
        callers.leaveAll()
        #expect(await response.status == 200)
        hold.open()
    }

    @Test(arguments: [
        ("http://A.example/x.png", "a.example"), ("https://u:p@a.example:8080?x", "a.example:8080"),
        ("http://[::1]:80/a@b", "[::1]:80"), ("http://a.example", "a.example"),
    ])
    func `an origin that hangs is distinguished by host and port`(url: String, origin: String) {
        #expect(ImageSource.http(url).origin == origin)
        #expect(ImageSource.local(path: "/a").origin == "local:///./")
        #expect(ImageSource.local(path: "/a/b/c").origin == "local:///a/")
    }
}
