import AlcedoCodecs
import AlcedoPixels
import AlcedoTestSupport
import Testing

/// The pictures of `scripts/make-fixtures.py` against what Pillow makes of them.
struct MadeFixtureTests {
    struct Case: CustomTestStringConvertible {
        var name: String
        /// How far a channel may be off.
        var tolerance = 0
        var testDescription: String { name }
    }

    static let jpegs = [
        "sampling-444", "sampling-422", "sampling-440", "sampling-420", "sampling-411", "progressive",
        "restart", "grey", "odd-1x1", "odd-7x9", "odd-16x17", "odd-33x1", "scalable", "cmyk", "ycck",
        "cmyk-profile", "wide-gamut", "grey-profile", "srgb-profile",
    ].map { Case(name: "\($0).jpg", tolerance: 2) }

    static let others = [
        Case(name: "wide-gamut.png", tolerance: 1), Case(name: "grey-profile.png", tolerance: 1),
        Case(name: "lossy.webp", tolerance: 3), Case(name: "lossless.webp"),
        Case(name: "lossy-alpha.webp", tolerance: 3), Case(name: "lossless-alpha.webp"),
        Case(name: "wide-gamut.webp", tolerance: 1), Case(name: "turned.webp", tolerance: 3),
    ]

    @Test(arguments: jpegs + others)
    func `a fixture decodes to the reference`(_ wanted: Case) throws {
        let bytes = try Fixture.data("made/\(wanted.name)")
        let reference = try PNGCodec().decode(Fixture.data("made/\(wanted.name).png")) {
            $0.keepsStraightAlpha = true
        }
        let bitmap = try Shared.decode(bytes) { $0.keepsStraightAlpha = true }
        #expect(bitmap.size == reference.size)
        #expect(try #require(largestDifference(bitmap.bgra, reference.bgra)) <= wanted.tolerance)
        #expect(bitmap.alpha == reference.alpha)

        let info = try Shared.info(bytes)
        #expect(info.size == reference.size)
        #expect(info.isComplete)
        #expect(info.hasAlpha == (reference.alpha != .opaque))
    }

    @Test(arguments: [
        ("made/turned.png", ImageOrientation.right), ("made/turned.webp", .left), ("made/lossy.webp", .up),
        ("made/alpha.png", .up),
    ])
    func `a fixture's orientation is read`(_ path: String, _ orientation: ImageOrientation) throws {
        #expect(try Shared.info(Fixture.data(path)).orientation == orientation)
    }

    @Test(arguments: [
        ("made/wide-gamut.jpg", "Wide test gamut"), ("made/wide-gamut.png", "Wide test gamut"),
        ("made/wide-gamut.webp", "Wide test gamut"), ("made/cmyk-profile.jpg", "Test inks"),
        ("made/grey-profile.png", "Dark test grey"),
    ])
    func `a fixture's profile is handed out and knows its name`(_ path: String, _ name: String) throws {
        let profile = try #require(try Shared.profile(Fixture.data(path)))
        #expect(ICCProfile.description(of: profile) == name)
    }

    @Test func `a profile over the limit is ignored, the image is not`() throws {
        let limits = DecodeLimits { $0.metadataBytes = 100 }
        for path in ["made/wide-gamut.jpg", "made/wide-gamut.png", "made/wide-gamut.webp"] {
            let bytes = try Fixture.data(path)
            let whole = try Shared.decode(bytes)
            let without = try Shared.decode(bytes) { $0.limits = limits }
            let isIgnored = Shared.profile(bytes, limits: limits) == nil
            let isDifferent = whole.bgra != without.bgra
            #expect(isIgnored && isDifferent, "\(path)")
        }
    }

    @Test func `a broken profile is ignored`() throws {
        var bytes = try Fixture.data("made/wide-gamut.jpg")
        let start = try #require(bytes.firstRange(of: Array("mntrRGB ".utf8)))
        bytes.replaceSubrange(start, with: [UInt8](repeating: 7, count: 8))
        let profile = try #require(JPEGCodec().profile(bytes))
        #expect(ICCProfile.description(of: profile) != "sRGB")
        let plain = try PNGCodec().decode(Fixture.data("made/wide-gamut.jpg.png"))
        let bitmap = try JPEGCodec().decode(bytes)
        #expect(bitmap.size == plain.size)
        let isDifferent = bitmap.bgra != plain.bgra
        #expect(isDifferent)
    }

    @Test func `text is not a colour profile`() {
        #expect(ICCProfile.description(of: Array("not a profile".utf8)) == nil)
        #expect(ICCProfile.description(of: []) == nil)
    }
}
