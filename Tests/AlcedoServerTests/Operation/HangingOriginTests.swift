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
        hanging = try ImageOrigin { $0.engine = ServerEngine(admission: admission) }
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
