import Testing

@testable import AlcedoPixels

struct `Memory of a large bitmap` {
    /// Trimmed by the tests alone.
    let spares = SpareMappings { _ in }

    private func mapping(_ megabytes: Int) throws -> Mapping {
        try #require(Mapping(byteCount: megabytes << 20))
    }

    @Test func `memory of a large bitmap is reused for the next one of the same size`() throws {
        let (small, large) = (try mapping(6), try mapping(10))
        spares.keep(small)
        spares.keep(large)
        #expect(spares.take(byteCount: 8 << 20) == nil)
        #expect(spares.take(byteCount: (6 << 20) - 5)?.memory == small.memory)
        #expect(spares.take(byteCount: 6 << 20) == nil)
        #expect(spares.take(byteCount: 10 << 20)?.memory == large.memory)
    }

    @Test func `memory of large bitmaps is freed if more of it is unused than the limit`() throws {
        let first = try mapping(30)
        spares.keep(first)
        spares.keep(try mapping(20))
        spares.keep(try mapping(20))
        #expect(spares.take(byteCount: 30 << 20) == nil)
        #expect(spares.take(byteCount: 20 << 20) != nil)
        #expect(spares.take(byteCount: 20 << 20) != nil)
        spares.keep(try mapping(66))
        #expect(spares.take(byteCount: 66 << 20) == nil)
    }

    @Test func `memory of a large bitmap is freed when it was unused for a while`() throws {
        spares.keep(try mapping(6))
        let date = ContinuousClock.now
        while ContinuousClock.now <= date {}
        spares.keep(try mapping(8))
        #expect(spares.trim(since: date))
        #expect(spares.take(byteCount: 6 << 20) == nil)
        #expect(spares.trim(since: .now) == false)
        #expect(spares.take(byteCount: 8 << 20) == nil)
    }
}
