import AlcedoLocks
import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import AlcedoCaches
@testable import EngineFixtures

@Suite(.timeLimit(.minutes(10))) struct `A lease of a shared cache` {
    @Test func `a shared cache's lease has one machine load an image, and the others wait`() async throws {
        let fleet = try Fleet(4)
        let gate = Gate()
        fleet.server.serve("/a.png", Reply(body: try Sample.png(3, 1)).hold(.head, until: gate))
        let observer = EventRecorder()
        try await withThrowingTaskGroup(of: CGFloat.self) { group in
            for index in 0..<4 {
                group.addTask { try await fleet.load("/a.png", on: index).image.size.width }
            }
            await fleet.server.waitForRequests(1)
            while fleet.machines.reduce(0, { $0 + $1.shared.counts.leasesLost }) < 3, !Task.isCancelled {
                await Task.yield()
            }
            let winner = try #require(fleet.machines.firstIndex { $0.shared.counts.leasesWon == 1 })
            for index in 0..<36 {
                let options: KingfisherOptionsInfo = index % 4 == winner ? [.observers([observer])] : []
                group.addTask { try await fleet.load("/a.png", on: index % 4, options).image.size.width }
            }
            // A load that begins after the transfer has ended would download again.
            _ = await observer.events.wait { $0.count { $0.stage.name == "coalesced" } == 9 }
            gate.open()
            for try await width in group { #expect(width == 3) }
        }
        #expect(fleet.server.requestCount() == 1)
        #expect(fleet.machines.reduce(0) { $0 + $1.shared.counts.leasesWon } == 1)
        #expect(fleet.store.leases == [])
    }

    @Test func `a lease of a machine that has died is waited for no longer than its limit`() async throws {
        let fleet = try Fleet(1) { ($0.leaseWait, $0.epoch) = (.seconds(0.3), .fixed(1)) }
        fleet.server.serve("/a.png", try Sample.png(3, 1))
        let key = SharedKey(.original, of: fleet.server.url("/a.png").cacheKey)
        let name = SharedPrefix(namespace: "default", epoch: 1).leaseName(of: key)
        try await fleet.store.set(Data("of another".utf8), forKey: name, expiringAfter: 10)
        #expect(try await fleet.load("/a.png").image.size.width == 3)
        #expect(fleet[0].shared.counts.leasesTimedOut == 1)
        // Stored nevertheless, as there is no value; the lease is the other's.
        #expect(fleet.store.images.count == 1)
        #expect(fleet.store.leases == [name])
    }

    @Test
    func `a lease is given back by a load that is cancelled, so that another machine loads`() async throws {
        let fleet = try Fleet()
        let gate = Gate()
        fleet.server.serve("/a.png", Reply(body: try Sample.png(3, 1)).hold(.head, until: gate))
        let task = Task { try await fleet.load("/a.png") }
        await fleet.server.waitForRequests(1)
        async let other = fleet.load("/a.png", on: 1)
        while fleet[1].shared.counts.leasesLost < 1, !Task.isCancelled { await Task.yield() }
        task.cancel()
        await fleet.server.waitForRequests(2)
        gate.open()
        #expect(try await other.image.size.width == 3)
        _ = await task.result
        try await fleet[0].shared.flush(within: .seconds(1000))
        #expect(fleet.store.leases == [])
    }

    @Test
    func `a lease is what a flush waits for, although a thread still refers to its right`() async throws {
        let fleet = try Fleet()
        let gate = Gate()
        fleet.server.serve("/a.png", Reply(body: try Sample.png(3, 1)).hold(.head, until: gate))
        async let result = fleet[0].manager.retrieveImage(with: fleet.server.url("/a.png"))
        await fleet.server.waitForRequests(1)
        let key = SharedKey(.original, of: fleet.server.url("/a.png").cacheKey)
        var right = fleet[0].shared.fetch(of: [key])
        #expect(right != nil && fleet.store.leases.count == 1)
        gate.open()
        _ = try await result
        await fleet[0].shared.waitForWrites(1)
        let leases = Recorder<[String]>()
        withExtendedLifetime(right) {
            fleet[0].shared.flush(within: .seconds(1000)) { _ in leases.append(fleet.store.leases) }
            #expect(leases.values.isEmpty)
        }
        right = nil
        #expect(await leases.waitFor(count: 1) == [[]])
    }

    @Test(arguments: [Reply.status(404), Reply.status(403)])
    func `a lease is given back by a load that has failed, before a flush ends`(_ reply: Reply) async throws {
        let fleet = try Fleet()
        let gate = Gate()
        fleet.server.serve("/a.png", reply.hold(.head, until: gate))
        async let error = kingfisherError { try await fleet.load("/a.png") }
        await fleet.server.waitForRequests(1)
        #expect(fleet.store.leases.count == 1)
        gate.open()
        #expect(await error != nil)
        try await fleet[0].shared.flush(within: .seconds(1000))
        #expect(fleet.store.leases == [])
    }

    @Test func `a lease is lost by a removal, so that an older image is not stored`() async throws {
        let fleet = try Fleet()
        let gate = Gate()
        fleet.server.serve("/a.png", Reply(body: try Sample.png(3, 1)).hold(.head, until: gate))
        async let result = fleet.load("/a.png")
        await fleet.server.waitForRequests(1)
        try await fleet[1].cache.removeImages(forKey: fleet.server.url("/a.png").cacheKey)
        try await fleet[1].shared.flush(within: .seconds(1000))
        gate.open()
        #expect(try await result.image.size.width == 3)
        #expect(fleet.store.images.isEmpty)
        #expect(fleet[0].shared.counts.superseded == 1)
    }

    @Test func `a machine renews no shared value that another one has renewed before`() async throws {
        let fleet = try Fleet { $0.epoch = .fixed(1) }
        fleet.server.serve("/a.png", try Sample.png(3, 1))
        try await fleet.load("/a.png")
        let before = fleet.store.state.withLock { $0.calls }
        fleet[1].shared.renew([SharedKey(.original, of: fleet.server.url("/a.png").cacheKey)]) { _ in }
        // It takes the lease, looks, and deletes the lease.
        while fleet.store.state.withLock({ $0.calls }) < before + 3, !Task.isCancelled { await Task.yield() }
        try await fleet[1].shared.flush(within: .seconds(1000))
        #expect(fleet[1].shared.counts.renewals == 0)
    }

    @Test func `a lease is not taken by a load that stores nothing`() async throws {
        let fleet = try Fleet()
        fleet.server.serve("/a.png", try Sample.png(3, 1))
        try await fleet.load("/a.png", [.cacheMemoryOnly])
        _ = await kingfisherError { try await fleet.load("/b.png", [.onlyFromCache]) }
        #expect(fleet[0].shared.counts.leasesWon == 0)
    }
}

@Suite(.timeLimit(.minutes(10)))
struct `The queue of shared writes` {
    @Test
    func `the queue of shared writes runs jobs of one key in order, and drops those over its limits`() async {
        let queue = SharedWriteQueue(countLimit: 3, byteLimit: 100)
        let (gate, order) = (Gate(), Recorder<Int>())
        for number in 0..<3 {
            queue.append("a") {
                await gate.pass()
                order.append(number)
            }
        }
        await gate.waitForArrivals(1)
        #expect(queue.append("a", bytes: 60) { order.append(3) })
        #expect(!queue.append("a") {})
        #expect(!queue.append("b", bytes: 60) {})
        let isDone = Gate()
        queue.whenDone { isDone.open() }
        gate.open()
        await isDone.pass()
        #expect(order.values == [0, 1, 2, 3])
    }

    @Test func `the queue of shared writes lets a removal replace the writes that wait`() async {
        let queue = SharedWriteQueue(countLimit: 9, byteLimit: 100)
        let (gate, order) = (Gate(), Recorder<String>())
        queue.append("a") { await gate.pass() }
        await gate.waitForArrivals(1)
        queue.append("a", bytes: 100) { order.append("write") }
        queue.appendRemoval("a") { order.append("removal") }
        #expect(queue.append("a", bytes: 100) { order.append("later") })
        let isDone = Gate()
        queue.whenDone { isDone.open() }
        gate.open()
        await isDone.pass()
        #expect(order.values == ["removal", "later"])
    }

    @Test func `the queue of shared writes has one removal a key, however full it is`() async {
        let queue = SharedWriteQueue(countLimit: 1, byteLimit: 100)
        let (gate, removed) = (Gate(), CallCounter())
        for key in ["a", "b", "c", "d"] { queue.appendRemoval(key) { await gate.pass() } }
        queue.append("x") { await gate.pass() }
        await gate.waitForArrivals(4)
        for _ in 0..<3 {
            for number in 0..<10_000 { queue.appendRemoval("\(number)") { removed.increment() } }
        }
        let isDone = Gate()
        queue.whenDone { isDone.open() }
        gate.open()
        await isDone.pass()
        #expect(removed.value == 10_000)
    }

    @Test func `the queue of shared writes keeps the writes that wait when a removal is repeated`() async {
        let queue = SharedWriteQueue(countLimit: 9, byteLimit: 100)
        let (gate, order) = (Gate(), Recorder<String>())
        queue.append("a") { await gate.pass() }
        await gate.waitForArrivals(1)
        queue.append("a") { order.append("newer") }
        queue.appendRemoval("a", replacesWrites: false) { order.append("removal") }
        let isDone = Gate()
        queue.whenDone { isDone.open() }
        gate.open()
        await isDone.pass()
        #expect(order.values == ["removal", "newer"])
    }
}
