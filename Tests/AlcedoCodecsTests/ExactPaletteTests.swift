import Testing

@testable import AlcedoCodecs

struct `A palette of few colours` {
    @Test func `a fixed palette that has a colour twice keeps the places of the others`() {
        var palette = ExactPalette(of: [7, 7, 9, 7, 8])
        #expect(palette.colors == [7, 7, 9, 7, 8])
        #expect([7, 9, 8].map { palette.index(of: $0) } == [0, 2, 4])
        #expect(palette.index(of: 6) == nil)
    }
}
