import AlcedoPixels
import AlcedoTestSupport
import Foundation
import Testing

@testable import AlcedoServer

/// Two origins, of which one does not answer.
@Suite(.timeLimit(.minutes(10))) struct `An origin that hangs` {
    private let hanging: ImageOrigin
    private let working: ImageOrigin
    private let admission = Admission(places: 4, queueSize: 0)
    private let hold = Gate()

    init() throws {
        let png = try Bitmap.coordinates(40, 30).encoded(as: .png)
        hanging = try ImageOrigin()
        working = try ImageOrigin()
        for number in 0..<20 {
            hanging.server.serve("/\(number)", Reply(body: png).hold(.head, until: hold))
            working.server.serve("/\(number)", png)
        }
    }

    private var responder: ImageResponder {
        ImageResponder(
            rules: hanging.rules, sources: hanging.sources, answers: hanging.answers,
            engine: hanging.engine
        ) { [admission] in await admission.answer($0, from: $1, $2) }
    }

    @Test(arguments: ["w:20", "raw:1"])
    func `keeps half of the places, and no worker, from images of others`(_ options: String) async {
        let responder = responder
        await withTaskGroup(of: Int.self) { group in
            for number in 0..<20 {
                let target = hanging.target(options, "/\(number)")
                group.addTask { await responder.answer(.patient(target)).status }
            }
            while admission.waiting < 18, !Task.isCancelled { await Task.yield() }
            for number in 0..<20 {
                let target = working.target(options, "/\(number)")
                #expect(await responder.answer(.patient(target)).status == 200)
            }
            #expect((admission.working, admission.waiting) == (2, 18))
            #expect(hanging.engine.workers.working == 0)
            hold.open()
            #expect(await group.allSatisfy { $0 == 200 })
        }
        #expect((admission.working, admission.waiting) == (0, 0))
    }

    @Test(arguments: [
        ("http://A.example/x.png", "a.example"), ("https://u:p@a.example:8080?x", "a.example:8080"),
        ("http://[::1]:80/a@b", "[::1]:80"), ("http://a.example", "a.example"),
    ])
    func `is told by host and port`(url: String, origin: String) {
        #expect(ImageSource.http(url).origin == origin)
        #expect(ImageSource.local(path: "/a").origin == "local:///./")
        #expect(ImageSource.local(path: "/a/b/c").origin == "local:///a/")
    }
}
