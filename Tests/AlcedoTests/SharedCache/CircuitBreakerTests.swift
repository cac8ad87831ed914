import Testing

@testable import Alcedo
@testable import AlcedoCaches

struct `A circuit breaker` {
    @Test func `a circuit breaker opens after three failures in a row`() {
        var breaker = CircuitBreaker()
        for _ in 0..<2 { breaker.fail(at: .zero) }
        breaker.succeed()
        for _ in 0..<2 { breaker.fail(at: .zero) }
        #expect(breaker.request(at: .zero) == .granted)
        breaker.fail(at: .zero, random: 0.5)
        #expect(breaker.state == .open(until: .seconds(2)))
        #expect(breaker.request(at: .seconds(1.99)) == .denied)
    }

    @Test func `a circuit breaker opens after five failures of twenty`() {
        var breaker = CircuitBreaker()
        for round in 0..<5 {
            #expect(breaker.state == .closed, "\(round)")
            for _ in 0..<3 { breaker.succeed() }
            breaker.fail(at: .zero)
        }
        #expect(breaker.state != .closed)

        var rare = CircuitBreaker()
        for _ in 0..<100 {
            for _ in 0..<4 { rare.succeed() }
            rare.fail(at: .zero)
        }
        #expect(rare.state == .closed)
    }

    @Test func `a circuit breaker lets one call through after the pause, which doubles up to its limit`() {
        var breaker = CircuitBreaker()
        for _ in 0..<3 { breaker.fail(at: .zero, random: 0.5) }
        var now = Duration.zero
        for pause in [2, 4, 8, 16, 30, 30] {
            now += .seconds(pause)
            #expect(breaker.request(at: now - .milliseconds(1)) == .denied)
            #expect(breaker.request(at: now) == .probe)
            #expect(breaker.request(at: now) == .denied)
            breaker.fail(at: now, random: 0.5)
        }
        now += .seconds(30)
        #expect(breaker.request(at: now) == .probe)
        breaker.succeed()
        #expect(breaker.state == .closed)
        #expect(breaker.openings == 0)
    }

    @Test(arguments: [(0.0, 1.5), (1, 2.5)])
    func `a circuit breaker varies its pauses by a quarter`(random: Double, seconds: Double) {
        var breaker = CircuitBreaker()
        for _ in 0..<3 { breaker.fail(at: .zero, random: random) }
        #expect(breaker.state == .open(until: .seconds(seconds)))
    }

    @Test func `a circuit breaker ignores calls that started before it opened`() {
        var breaker = CircuitBreaker()
        for _ in 0..<3 { breaker.fail(at: .zero, random: 0.5) }
        breaker.succeed()
        breaker.fail(at: .seconds(1))
        #expect(breaker.state == .open(until: .seconds(2)))
    }

    @Test func `a circuit breaker whose probe tells nothing tries again at once, without a longer pause`() {
        var breaker = CircuitBreaker()
        breaker.ignore(at: .zero)
        #expect(breaker.state == .closed)
        for _ in 0..<3 { breaker.fail(at: .zero, random: 0.5) }
        breaker.ignore(at: .seconds(1))
        #expect(breaker.state == .open(until: .seconds(2)))
        #expect(breaker.request(at: .seconds(2)) == .probe)
        breaker.ignore(at: .seconds(3))
        #expect(breaker.request(at: .seconds(3)) == .probe)
        breaker.fail(at: .seconds(3), random: 0.5)
        #expect(breaker.state == .open(until: .seconds(7)))
        #expect(breaker.openings == 2)
    }

    @Test func `a circuit breaker opens at once when it is told to, but not longer`() {
        var breaker = CircuitBreaker()
        breaker.trip(at: .zero, random: 0.5)
        breaker.trip(at: .seconds(1), random: 0.5)
        #expect(breaker.state == .open(until: .seconds(2)))
    }
}
