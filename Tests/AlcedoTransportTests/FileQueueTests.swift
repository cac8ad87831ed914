import AlcedoTestSupport
import Foundation
import Testing

@testable import AlcedoTransport

@Suite(.timeLimit(.minutes(10)))
struct `A queue of reads` {
    typealias Outcome = Result<Int, FileStall>

    let clock = ManualIntervals()
    let hang = Gate()
    let results = Recorder<Outcome>()
    let queue: FileQueue

    init() { queue = FileQueue(label: "test", mostThreads: 40, late: 5, schedule: clock.schedule) }

    /// Starts reads that hang at the gate.
    @discardableResult
    private func hangReads(_ count: Int, in volume: String = "nas", stall: Int = 15) -> [FileQueue.Job] {
        (0..<count).map { number in
            queue.run(in: volume, limits: FileLimits(stall: stall)) { [hang] _ in
                hang.wait()
                return number
            } then: { [results] in
                results.append($0)
            }
        }
    }

    private func read(in volume: String, stall: Int = 15) async -> Outcome {
        await withCheckedContinuation { continuation in
            queue.run(in: volume, limits: FileLimits(stall: stall)) { _ in
                1
            } then: {
                continuation.resume(returning: $0)
            }
        }
    }

    private let stalled = Outcome.failure(FileStall(intervals: 15, isTotal: false))

    @Test(arguments: [1, 4, 20])
    func `a queue of reads serves other volumes while one hangs, and fails what hangs`(count: Int) async {
        hangReads(count)
        await hang.waitForArrivals(min(count, 4))
        #expect(await read(in: "home") == .success(1))
        clock.pass(16)
        // Those that wait for a thread fail with the four that have one.
        #expect(await results.waitFor(count: count) == Array(repeating: stalled, count: count))
        #expect(hang.arrivals == min(count, 4))
        #expect(await read(in: "nas") == (count < 4 ? .success(1) : stalled))
        #expect(await read(in: "home") == .success(1))
        hang.open()
        // Whoever reads while the threads return may still be refused.
        while await read(in: "nas") != .success(1), !Task.isCancelled {}
        #expect(results.count == count)
    }

    @Test func `a queue of reads waits as long as a read may, whatever the limits of others`() async {
        hangReads(4)
        await hang.waitForArrivals(4)
        let patient = Recorder<Outcome>()
        queue.run(in: "nas", limits: FileLimits(stall: 60)) { _ in
            2
        } then: {
            patient.append($0)
        }
        clock.pass(60)
        #expect(await results.waitFor(count: 4) == Array(repeating: stalled, count: 4))
        #expect(patient.count == 0)
        hang.open()
        #expect(await patient.waitFor(count: 1) == [.success(2)])
    }

    @Test func `a queue of reads does not count late reads among those that run`() async {
        for number in 0..<33 { hangReads(1, in: "\(number)") }
        await hang.waitForArrivals(32)
        #expect(queue.pendingCount == 1)
        clock.pass(5)
        #expect(queue.pendingCount == 1)
        clock.pass()
        await hang.waitForArrivals(33)
        #expect(await read(in: "home") == .success(1))
        hang.open()
    }

    @Test func `a queue of reads rejects reads for which there is no thread`() async {
        for number in 0..<10 { hangReads(4, in: "\(number)") }
        clock.pass(6)
        await hang.waitForArrivals(40)
        clock.pass(16)
        await results.waitFor(count: 40)
        #expect(await read(in: "home") == stalled)
        hang.open()
        while await read(in: "home") != .success(1), !Task.isCancelled {}
    }

    @Test func `a queue of reads keeps nothing of a read that is cancelled`() async {
        let jobs = hangReads(100)
        await hang.waitForArrivals(4)
        for job in jobs { job.cancel() }
        #expect(queue.pendingCount == 0)
        clock.pass(20)
        hang.open()
        while await read(in: "nas") != .success(1), !Task.isCancelled {}
        #expect(results.count == 0 && hang.arrivals == 4)
    }

    @Test func `a queue of reads runs what is left when most of its reads were cancelled`() async {
        let jobs = hangReads(1004)
        await hang.waitForArrivals(4)
        for (number, job) in jobs.enumerated().dropFirst(4) where number % 100 != 0 { job.cancel() }
        #expect(queue.pendingCount == 10)
        hang.open()
        let read = await results.waitFor(count: 14).compactMap { try? $0.get() }
        #expect(read.sorted() == [0, 1, 2, 3] + (1...10).map { 100 * $0 })
        #expect(queue.pendingCount == 0)
    }

    @Test func `a queue of reads cancels many reads without a walk for each`() async {
        let jobs = hangReads(200_000)
        await hang.waitForArrivals(4)
        // A walk for each of them would take longer than a test may.
        for job in jobs { job.cancel() }
        #expect(queue.pendingCount == 0)
        hang.open()
    }

    @Test func `a read's stall limit starts anew with each part, its total limit does not`() async {
        let (part, end) = (Gate(), Gate())
        queue.run(in: "nas", limits: FileLimits(stall: 3, total: 9)) { reading in
            for _ in 0..<4 {
                part.wait()
                reading.progress()
            }
            end.wait()
            return 3
        } then: { [results] in
            results.append($0)
        }
        for arrivals in 1...3 {
            await part.waitForArrivals(arrivals)
            clock.pass(3)
            part.admit()
        }
        await part.waitForArrivals(4)
        #expect(results.count == 0)
        clock.pass()
        #expect(await results.waitFor(count: 1) == [.failure(FileStall(intervals: 9, isTotal: true))])
        part.open()
        end.open()
    }

    @Test func `a receiver that blocks is no stall, and its volume gets another thread`() async {
        let blocked = Gate()
        for _ in 0..<4 {
            queue.run(in: "nas", limits: FileLimits(stall: 1)) { _ in
            } then: { _ in
                blocked.wait()
            }
        }
        await blocked.waitForArrivals(4)
        let found = Recorder<Outcome>()
        queue.run(in: "nas", limits: FileLimits(stall: 1)) { _ in
            4
        } then: {
            found.append($0)
        }
        clock.pass(5)
        #expect(found.count == 0)
        clock.pass()
        #expect(await found.waitFor(count: 1) == [.success(4)])
        blocked.open()
    }
}

@Suite struct `The volume of a file` {
    let table = MountTable(
        """
        21 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
        30 21 8:2 / /home rw,relatime - ext4 /dev/sda2 rw
        40 21 0:50 / /mnt/nas rw,relatime shared:2 - nfs4 server:/a rw,vers=4.2
        41 21 0:50 /b /mnt/with\\040space rw - nfs4 server:/a/b rw
        42 40 8:3 / /mnt/nas/local rw - ext4 /dev/sdb1 rw
        44 21 0:70 / /tmp rw - tmpfs tmpfs rw
        43 21 0:60 / /media/phone rw master:3 - fuse.gvfsd-fuse gvfsd rw
        broken
        """)

    @Test(arguments: [
        ("/a.png", ""), ("/home/me/pictures/a.png", "8:2"), ("/tmp/b/a.png", "/tmp/b"),
        ("/mnt/nas/2024/a.png", "0:50"),
        ("/mnt/nas/2023/b.png", "0:50"), ("/mnt/nas2/a.png", "/mnt/nas2"),
        ("/mnt/with space/a.png", "0:50"), ("/mnt/nas/local/a.png", "8:3"),
        ("/media/phone/DCIM/a.jpg", "0:60"),
    ])
    func `a file's volume is its file system, or on root and tmpfs its folder`(path: String, volume: String) {
        #expect(table.volume(of: path) == volume)
    }

    @Test func `a file's volume is its folder where nothing is known or mounted`() {
        #expect(MountTable("").volume(of: "/mnt/nas/a.png") == "/mnt/nas")
        #expect(MountTable("21 1 8:1 / / rw - ext4 /dev/sda1 rw").volume(of: "/a/b/c.png") == "/a/b")
    }
}
