import Testing

@testable import Alcedo

struct `The account of a folder's size` {
    private func counted(_ bytes: Int) -> DiskAccount {
        var account = DiskAccount()
        let mark = account.beginListing(at: 0)
        account.endListing(mark, total: bytes)
        return account
    }

    @Test func `gives nothing away before it knows what there is, and never more than there is`() {
        var account = DiskAccount()
        var given = [account.reserve(1, below: 100)]
        account = counted(40)
        given += [account.reserve(61, below: 100), account.reserve(60, below: 100)]
        given += [account.reserve(1, below: 100)]
        #expect(given.map { $0 == nil } == [true, true, false, true])
        #expect(account.total == 100 && account.inFlight == 60)
    }

    @Test func `settles with what was replaced, or gives back what was not written`() throws {
        var account = counted(40)
        let written = account.reserve(30, below: 100)
        account.settle(try #require(written))
        account.remove(25)
        #expect(account.total == 45 && account.inFlight == 0)
        let failed = account.reserve(30, below: 100)
        account.settle(try #require(failed))
        account.remove(30)
        #expect(account.total == 45 && account.inFlight == 0)
        account.remove(50)
        #expect(account.total == 0)
    }

    @Test func `a listing never loses what is being written or came meanwhile`() throws {
        var account = counted(0)
        let before = account.reserve(10, below: 100)
        let mark = account.beginListing(at: 1)
        account.settle(try #require(before))
        _ = account.reserve(20, below: 100)
        account.endListing(mark, total: 5)
        #expect(account.total == 35)
    }

    @Test func `forgets a store of a killed process, but not one of the last minute`() {
        var account = counted(0)
        _ = account.reserve(10, below: 100)
        for (second, inFlight) in [(59, 10), (60, 10), (100, 10), (120, 0)] {
            let mark = account.beginListing(at: second)
            account.endListing(mark, total: 0)
            #expect(account.total == inFlight, "\(second)")
        }
    }

    @Test(arguments: 1...7, [Int.min, -1, Int.max, 1 << 61])
    func `does not come back from numbers that nothing can be added to`(field: Int, value: Int) {
        var fields = counted(1234).fields
        fields[field] = value
        fields[8] = fields[..<8].reduce(0) { ($0 &* 31) ^ $1 }
        #expect(DiskAccount(fields: fields) == nil)
    }

    @Test func `comes back from its numbers, and not from damaged ones`() {
        var account = counted(1234)
        _ = account.reserve(10, below: 5000)
        let fields = account.fields
        #expect(DiskAccount(fields: fields) == account)
        for index in fields.indices {
            var damaged = fields
            damaged[index] ^= 64
            #expect(DiskAccount(fields: damaged) == nil)
        }
        #expect(DiskAccount(fields: []) == nil)
        #expect(DiskAccount(fields: Array(repeating: 0, count: fields.count)) == nil)
    }
}

struct `What a storage remembers of its size limit` {
    @Test func `one trim waits at a time, for the most that a store still needs`() {
        var state = SizeLimitState()
        state.hasCounted = true
        for bytes in [5, 7] { state.beginWaiting(for: bytes) }
        var claims = [state.claimTrim(isFull: false), state.claimTrim(isFull: true)]
        claims.append(state.claimTrim(isFull: true))
        #expect(claims == [false, true, false])
        var bytes = [state.beginTrim()]
        state.endWaiting(for: 7)
        bytes.append(state.beginTrim())
        state.endWaiting(for: 5)
        bytes.append(state.beginTrim())
        #expect(bytes == [7, 5, 0])
        claims = [state.claimTrim(isFull: true)]
        #expect(claims == [true])
        state.endTrim(isHopeless: true)
        #expect(state.isHopeless && state.trims == 1)
    }
}
