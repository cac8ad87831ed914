import Testing

@testable import Alcedo

struct `The account of a folder's size` {
    private func counted(_ bytes: Int) -> DiskAccount {
        var account = DiskAccount()
        let mark = account.beginListing { _ in false }
        account.endListing(mark, total: bytes)
        return account
    }

    @Test func `gives nothing away before it knows what there is, and never more than there is`() {
        var account = DiskAccount()
        var given = [account.reserve(1, below: 100)]
        account = counted(40)
        given += [61, 60, 1].map { account.reserve($0, below: 100) }
        #expect(given == [false, false, true, false])
        #expect(account.total == 100)
    }

    @Test func `gets back what was replaced or not written, and no more than there is`() {
        var account = counted(40)
        _ = account.reserve(30, below: 100)
        account.remove(25)
        #expect(account.total == 45)
        account.remove(50)
        #expect(account.total == 0)
    }

    @Test func `a listing never loses what is being written or came meanwhile`() {
        var account = counted(0)
        _ = account.reserve(10, below: 100)
        account.setFlight(10, at: 0)
        let mark = account.beginListing { _ in false }
        account.setFlight(0, at: 0)
        _ = account.reserve(20, below: 100)
        account.endListing(mark, total: 5)
        #expect(account.total == 35)
    }

    @Test func `forgets what a process that is gone was writing, and nobody else's`() {
        var account = counted(0)
        for (place, bytes) in [(1, 10), (7, 20), (15, 40)] {
            _ = account.reserve(bytes, below: 100)
            account.setFlight(bytes, at: place)
        }
        var asked: [Int] = []
        let mark = account.beginListing { place in
            asked.append(place)
            return place == 7
        }
        account.endListing(mark, total: 5)
        #expect(asked == [1, 7, 15] && account.total == 55 && account.inFlight == 50)
    }

    @Test(arguments: 1..<DiskAccount.fieldCount, [Int.min, -1, Int.max, 1 << 61])
    func `does not come back from numbers that nothing can be added to`(field: Int, value: Int) {
        var fields = counted(1234).fields
        fields[field] = value
        let check = DiskAccount.fieldCount
        fields[check] = fields[..<check].reduce(0) { ($0 &* 31) ^ $1 }
        #expect(DiskAccount(fields: fields) == nil)
    }

    @Test func `comes back from its numbers, and not from damaged ones`() {
        var account = counted(1234)
        _ = account.reserve(10, below: 5000)
        account.setFlight(10, at: 15)
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
        state.beginTrim()
        var bytes = [state.mostWaiting]
        for ended in [7, 5] {
            state.endWaiting(for: ended)
            bytes.append(state.mostWaiting)
        }
        #expect(bytes == [7, 5, 0])
        claims = [state.claimTrim(isFull: true)]
        #expect(claims == [true])
        state.endTrim(isHopeless: true)
        #expect(state.isHopeless && state.trims == 1)
    }
}
