import Dispatch
import Testing

@testable import Alcedo

struct `The usage of a folder` {
    private func counted(_ bytes: Int) -> DiskUsage {
        var usage = DiskUsage()
        usage.setCount(bytes, since: usage.balance)
        return usage
    }

    @Test func `is not known before a listing`() {
        #expect(!DiskUsage().isCounted)
        #expect(counted(40).isCounted && counted(40).total == 40)
    }

    @Test func `grows by reservations, and shrinks by what is released, down to nothing`() {
        var usage = counted(40)
        usage.reserve(30)
        usage.release(25)
        #expect(usage.total == 45)
        usage.release(50)
        #expect(usage.total == 0)
    }

    @Test func `keeps what was reserved and released during a listing, but not what was evicted`() {
        var usage = counted(100)
        let start = usage.balance
        usage.reserve(20)
        usage.release(5)
        usage.evict(60)
        #expect(usage.total == 55)
        usage.setCount(40, since: start)
        #expect(usage.total == 55)
    }

    @Test(arguments: 1..<DiskUsage.fieldCount - 1, [Int.min, Int.max, 1 << 61])
    func `is not read from numbers that nothing can be added to`(field: Int, value: Int) {
        var fields = counted(1234).fields
        fields[field] = value
        let check = DiskUsage.fieldCount - 1
        fields[check] = fields[..<check].reduce(0) { ($0 &* 31) ^ $1 }
        #expect(DiskUsage(fields: fields) == nil)
    }

    @Test func `is read from its numbers, and not from damaged ones`() {
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
    @Test func `has one trim at a time, for the largest value that was dropped`() {
        var schedule = TrimSchedule()
        let starts = [5, 7, 6].map { schedule.schedule(for: $0) }
        #expect(starts == [true, false, false])
        let wanted = [schedule.begin(), schedule.begin()]
        #expect(wanted == [7, 0])
        schedule.end(isFutile: false)
        let startsAgain = schedule.schedule()
        #expect(startsAgain)
    }

    @Test func `delays a trim after one that freed nothing`() {
        var schedule = TrimSchedule()
        var starts = [schedule.schedule()]
        _ = schedule.begin()
        schedule.end(isFutile: true)
        starts.append(schedule.schedule(for: 5))
        #expect(starts == [true, false])
    }
}
