import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

@testable import EngineFixtures

@Suite(.timeLimit(.minutes(10)))
struct `A program that loads on and on` {
    // In a process of its own, for the descriptors and threads of all other tests would count too.
    @Test func `a program that loads on and on keeps no descriptor and no thread, though loads fail`() async {
        await #expect(processExitsWith: .success) {
            let load = try SteadyLoad()
            // The first rounds open what the process keeps: its pools of threads, and connections.
            for _ in 0..<2 { await load.round() }
            let (descriptors, threads) = await load.counts()
            for _ in 0..<8 { await load.round() }
            var (later, laterThreads) = await load.counts()
            // A busy machine has more for a while: threads end after some seconds without work.
            let end = ContinuousClock.now + .seconds(300)
            while later > descriptors + 12 || laterThreads > threads + 8, ContinuousClock.now < end {
                poll(nil, 0, 100)
                (later, laterThreads) = await load.counts()
            }
            // A leak would be one for each of 160 faults, or of 1,600 loads.
            #expect(later <= descriptors + 12)
            #expect(laterThreads <= threads + 8)
        }
    }
}

/// Loads of which every tenth goes wrong, each in another way.
private struct SteadyLoad {
    private let loading: Loading

    init() throws {
        loading = try Loading()
        let image = try Sample.png(16, 16)
        let faults = [
            Reply.nothing(.reset), .status(503), .redirect(to: "file:///x"),
            Reply(body: image).cut(after: 20), Reply(body: image).chunked(10).cut(after: 20, .reset),
            .raw("no HTTP"), Reply(body: [1, 2, 3]),
        ]
        let turn = CallCounter()
        loading.server.route("/") { _ in
            let turn = turn.increment()
            return turn % 10 == 0 ? faults[turn / 10 % faults.count] : Reply(body: image)
        }
    }

    /// Two hundred loads at once, some of which are cancelled.
    func round() async {
        let ends = CallCounter()
        for index in 0..<200 {
            let task = loading.manager.retrieveImage(
                with: loading.server.url("/?\(index)"), options: [.forceRefresh]
            ) { _ in ends.increment() }
            if index % 10 == 5 { task?.cancel() }
        }
        await ends.waitFor(200)
    }

    /// How many descriptors and threads the process has, once the server has noticed who went away.
    func counts() async -> (descriptors: Int, threads: Int) {
        await loading.server.wait { $0.connectionsAccepted - $0.connectionsClosed <= 6 }
        func count(_ folder: String) -> Int {
            (try? FileManager.default.contentsOfDirectory(atPath: folder))?.count ?? 0
        }
        return (count("/proc/self/fd"), count("/proc/self/task"))
    }
}
