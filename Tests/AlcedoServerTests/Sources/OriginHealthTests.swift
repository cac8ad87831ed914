import Testing

@testable import AlcedoServer

struct `The health of hosts` {
    private let start = ContinuousClock.now
    private var health = OriginHealth()

    private func after(_ seconds: Int) -> ContinuousClock.Instant { start + .seconds(seconds) }

    /// Has downloads of these URLs time out, which all begin at `begin`.
    @discardableResult
    private mutating func hang(_ urls: String..., from begin: Int = 0, at end: Int = 5) -> [OriginHealth
        .Change?]
    {
        let admissions = urls.map { _ in health.admit("a", at: after(begin)) }
        return zip(urls, admissions).map { url, admission in
            health.end("a", url, admission, .timedOut, since: after(begin), at: after(end))
        }
    }

    @Test mutating func `the health of a host is lost with three URLs that time out, and no other's`() {
        #expect(hang("1", "2", "3", "4") == [nil, nil, .stopped, nil])
        #expect(health.admit("a", at: after(5)) == .rejected(since: start))
        #expect(health.admit("b", at: after(5)) == .admitted)
        #expect(health.unresponsive == 1)
    }

    @Test mutating func `the health of a host is not lost by one URL that always takes too long`() {
        for round in 0..<9 { hang("1", from: round, at: round + 5) }
        #expect(health.admit("a", at: after(20)) == .admitted)
        #expect(health.unresponsive == 0)
    }

    @Test mutating func `the health of a host is not lost while other downloads end in time`() {
        let admissions = (0..<4).map { _ in health.admit("a", at: start) }
        #expect(health.end("a", "fine", admissions[3], .inTime, since: start, at: after(3)) == nil)
        for url in 0..<3 {
            #expect(health.end("a", "\(url)", admissions[url], .timedOut, since: start, at: after(5)) == nil)
        }
        #expect(health.admit("a", at: after(5)) == .admitted)
    }

    @Test mutating func `the health of a host comes back with any download that ends in time`() {
        let late = health.admit("a", at: start)
        hang("1", "2", "3")
        #expect(health.end("a", "late", late, .inTime, since: start, at: after(5)) == .resumed(since: start))
        #expect(health.admit("a", at: after(5)) == .admitted)
        #expect(health.unresponsive == 0)
    }

    @Test mutating func `a host is tried by one download at a time, after pauses that double`() {
        hang("1", "2", "3")
        var now = 5
        for pause in [1, 2, 4, 8, 16, 30, 30] {
            #expect(health.rejection(of: "a", at: after(now + pause) - .nanoseconds(1)) == start)
            now += pause
            #expect(health.rejection(of: "a", at: after(now)) == nil)
            #expect(health.admit("a", at: after(now)) == .trial)
            #expect(health.admit("a", at: after(now)) == .rejected(since: start))
            now += 5
            #expect(health.end("a", "9", .trial, .timedOut, since: after(now - 5), at: after(now)) == nil)
        }
        #expect(health.admit("a", at: after(now + 30)) == .trial)
        let change = health.end("a", "9", .trial, .inTime, since: after(now + 30), at: after(now + 31))
        #expect(change == .resumed(since: start))
    }

    @Test mutating func `a host is tried again at once if a trial was cancelled`() {
        hang("1", "2", "3")
        #expect(health.admit("a", at: after(6)) == .trial)
        #expect(health.end("a", "1", .trial, .unknown, since: after(6), at: after(6)) == nil)
        #expect(health.admit("a", at: after(6)) == .trial)
    }

    @Test mutating func `the health of a host is forgotten beyond a thousand, the oldest one first`() {
        for number in 0...OriginHealth.mostSilent {
            for url in ["1", "2", "3"] {
                let admission = health.admit("\(number)", at: after(number))
                _ = health.end(
                    "\(number)", url, admission, .timedOut, since: after(number), at: after(number))
            }
        }
        #expect(health.unresponsive == OriginHealth.mostSilent)
        #expect(health.rejection(of: "0", at: after(0)) == nil)
        #expect(health.rejection(of: "1", at: after(1)) == after(1))
    }
}
