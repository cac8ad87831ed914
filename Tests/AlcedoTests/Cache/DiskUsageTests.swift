import AlcedoTestSupport
import Dispatch
import Glibc
import Testing

@testable import Alcedo
@testable import AlcedoCaches

struct `The usage of a folder` {
    private func counted(_ bytes: Int) -> DiskUsage {
        var usage = DiskUsage()
        usage.setCount(bytes, since: usage.balance)
        return usage
    }

    @Test func `a folder's usage is not known before a listing`() {
        #expect(!DiskUsage().isCounted)
        #expect(counted(40).isCounted && counted(40).total == 40)
    }

    @Test func `a folder's usage grows by reservations, and shrinks by releases, down to nothing`() {
        var usage = counted(40)
        usage.reserve(30)
        usage.release(25)
        #expect(usage.total == 45)
        usage.release(50)
        #expect(usage.total == 0)
    }

    @Test func `a folder's usage keeps reservations and releases during a listing, but no evictions`() {
        var usage = counted(100)
        let start = usage.balance
        usage.reserve(20)
        usage.release(5)
        usage.subtract(60)
        #expect(usage.total == 55)
        usage.setCount(40, since: start)
        #expect(usage.total == 55)
        #expect(usage.listings == 2)
    }

    @Test(arguments: 1..<DiskUsage.fieldCount - 1, [Int.min, Int.max, 1 << 61])
    func `a folder's usage is not read from numbers that nothing can be added to`(field: Int, value: Int) {
        var fields = counted(1234).fields
        fields[field] = value
        let check = DiskUsage.fieldCount - 1
        fields[check] = fields[..<check].reduce(0) { ($0 &* 31) ^ $1 }
        #expect(DiskUsage(fields: fields) == nil)
    }

    @Test func `a folder's usage is read from its numbers, and not from damaged ones`() {
        var usage = counted(1234)
        usage.reserve(10)
        let fields = usage.fields
        #expect(DiskUsage(fields: fields) == usage)
        for index in fields.indices {
            var damaged = fields
            damaged[index] ^= 64
            #expect(DiskUsage(fields: damaged) == nil)
        }
        #expect(DiskUsage(fields: []) == nil)
        #expect(DiskUsage(fields: Array(repeating: 0, count: fields.count)) == nil)
    }
}

struct `The schedule of trims` {
    @Test func `the schedule of trims has one trim at a time`() {
        var schedule = TrimSchedule()
        let starts = (0..<3).map { _ in schedule.schedule() }
        #expect(starts == [true, false, false])
        schedule.start()
        schedule.end(isFutile: false)
        let startsAgain = schedule.schedule()
        #expect(startsAgain)
    }

    @Test func `the schedule delays a trim for a second after one that freed nothing`() {
        var schedule = TrimSchedule()
        let now = DispatchTime.now()
        var starts = [schedule.schedule(at: now)]
        schedule.start()
        schedule.end(isFutile: true, at: now)
        for seconds in [0, 0.999, 1] { starts.append(schedule.schedule(at: now + seconds)) }
        #expect(starts == [true, false, false, true])
    }

    @Test func `a store may trim though a trim in the background freed nothing, as it may evict more`() {
        var schedule = TrimSchedule()
        let now = DispatchTime.now()
        schedule.end(isFutile: true, at: now)
        #expect(schedule.mayFreeForStore(at: now))
        schedule.end(isFutile: true, isForStore: true, at: now)
        #expect(!schedule.mayFreeForStore(at: now) && schedule.mayFreeForStore(at: now + 1))
    }
}

struct `The quota of a folder` {
    private let directory: TemporaryDirectory
    private let quota: DiskQuota

    init() throws {
        directory = try TemporaryDirectory()
        quota = DiskQuota(folder: DiskFolder(path: directory.path))
        _ = quota.endCount(quota.startCount(), total: 600)
    }

    @Test func `a folder's quota subtracts what is replaced or removed`() {
        quota.release(200, since: quota.listings)
        #expect(quota.evict(100, since: quota.listings) == quota.listings)
        #expect(quota.total == 300)
    }

    @Test func `a folder's quota counts what is replaced or removed during a listing until the next`() {
        let listings = quota.listings
        let count = quota.startCount()
        quota.release(200, since: listings)
        #expect(quota.endCount(count, total: 600) == 600)
        quota.release(200, since: listings)
        _ = quota.evict(200, since: listings)
        #expect(quota.total == 600)
        #expect(quota.endCount(quota.startCount(), total: 400) == 400)
    }

    @Test func `a folder's quota gives up what was reserved ahead when another process has listed it`() {
        for _ in 0..<20 { #expect(quota.reserve(100, limit: 10_000) == .granted) }
        let total = quota.total
        let other = DiskQuota(folder: DiskFolder(path: directory.path))
        #expect(other.endCount(other.startCount(), total: 2600) == 2600)
        #expect(total == 2600 && quota.total == 2600)
    }

    @Test func `a folder's quota waits for a process that has the lock`() throws {
        _ = quota.total
        let other = open(directory.path + "/.alcedo-size", O_RDWR | O_CLOEXEC)
        defer { close(other) }
        #expect(flock(other, LOCK_EX) == 0)
        let waiting = DiskQuota(
            folder: DiskFolder(path: directory.path),
            lockWait: DiskLockWait(seconds: 1000, pause: { flock(other, LOCK_UN) }))
        #expect(waiting.reserve(100, limit: 10_000) == .granted)
        // Counted where all processes see it.
        #expect(quota.total == 700)
    }
}
