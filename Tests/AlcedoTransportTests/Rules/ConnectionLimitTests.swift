import Testing

@testable import AlcedoTransport

struct `The number of transfers` {
    @Test(arguments: [(64, 16), (1024, 256), (8, 2), (3, 1), (0, 1)])
    func `the limit of transfers leaves descriptors for everything else`(descriptors: Int, transfers: Int) {
        #expect(ConnectionLimit(descriptors: descriptors).current == transfers)
    }

    @Test func `the limit of transfers falls to what runs during a shortage, and rises after it`() {
        var limit = ConnectionLimit(descriptors: 64)
        limit.recordShortage(running: 5, at: 10)
        #expect(limit.current == 5)
        var hasEnded = limit.endShortage(at: 10.5)
        #expect(!hasEnded)
        limit.recordShortage(running: 0, at: 10.5)
        #expect(limit.current == 1)
        hasEnded = limit.endShortage(at: 11.4)
        #expect(!hasEnded)
        hasEnded = limit.endShortage(at: 11.5)
        #expect(hasEnded)
        #expect(limit.current == 16)
        hasEnded = limit.endShortage(at: 12)
        #expect(!hasEnded)
    }
}
