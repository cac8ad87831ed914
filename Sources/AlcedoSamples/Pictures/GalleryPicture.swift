package import AlcedoPixels

/// A procedurally drawn image; deterministic.
package struct GalleryPicture: Sendable {
    /// A unique name, usable as a file name without an extension.
    package let name: String

    package let size: PixelSize
    package let draw: @Sendable (PixelSize) throws -> Bitmap

    init(
        _ name: String, _ width: Int, _ height: Int, _ draw: @escaping @Sendable (PixelSize) throws -> Bitmap
    ) {
        self.name = name
        self.size = PixelSize(width: width, height: height)
        self.draw = draw
    }

    /// Draws the image at its default size.
    package func bitmap() throws -> Bitmap { try draw(size) }
}

extension GalleryPicture {
    /// All images: landscapes of up to 12 megapixels first, icons last.
    package static let all = landscapes + patterns + abstracts + icons

    private static let landscapes: [GalleryPicture] = [
        .init("ridges-at-dusk", 4000, 3000) { try mountains($0, seed: 3, mood: .dusk) },
        .init("lake-at-dawn", 4000, 3000) { try mountains($0, seed: 8, mood: .dawn, lake: true) },
        .init("polar-night", 3000, 2000) { try mountains($0, seed: 21, mood: .night, lake: true) },
        .init("alpine-noon", 2400, 1600) { try mountains($0, seed: 34, mood: .alpine) },
        .init("ember-ridges", 1920, 1080) { try mountains($0, seed: 55, mood: .ember) },
        .init("lake-at-dusk", 1600, 1200) { try mountains($0, seed: 13, mood: .dusk, lake: true) },
        .init("moonlit-ridges", 1080, 1620) { try mountains($0, seed: 71, mood: .night) },
        .init("morning-mist", 1200, 800) { try mountains($0, seed: 90, mood: .dawn) },
        .init("ember-lake", 2048, 1365) { try mountains($0, seed: 5, mood: .ember, lake: true) },
        .init("golden-dunes", 4000, 2250) { try dunes($0, seed: 2, sky: daySky, sand: goldSand) },
        .init("rose-dunes", 1600, 1067) { try dunes($0, seed: 9, sky: roseSky, sand: roseSand) },
        .init("evening-dunes", 1280, 853) { try dunes($0, seed: 17, sky: roseSky, sand: goldSand) },
        .init("tall-dunes", 900, 1350) { try dunes($0, seed: 28, sky: daySky, sand: roseSand) },
        .init("harbour-city", 3000, 2000) {
            try skyline($0, seed: 4, sky: blueNight, glow: Colour(0xD9825B))
        },
        .init("violet-city", 1600, 1000) {
            try skyline($0, seed: 12, sky: violetNight, glow: Colour(0xE0608A))
        },
        .init("teal-city", 1200, 1200) { try skyline($0, seed: 31, sky: blueNight, glow: Colour(0x2FA8A8)) },
    ]

    private static let patterns: [GalleryPicture] = [
        .init("julia-lace", 1600, 1200) {
            try fractal($0, constant: Point(-0.7269, 0.1889), height: 2.3, colours: deepSea)
        },
        .init("julia-coral", 1200, 1200) {
            try fractal($0, constant: Point(-0.4, 0.6), height: 2.5, colours: coral)
        },
        .init("julia-frost", 1500, 1000) {
            try fractal($0, constant: Point(0.285, 0.01), height: 2.3, colours: frost)
        },
        .init("mandelbrot", 1800, 1200) {
            try fractal($0, constant: nil, centre: Point(-0.65, 0), height: 2.5, colours: deepSea)
        },
        .init("seahorse-valley", 1600, 1200) {
            try fractal(
                $0, constant: nil, centre: Point(-0.7467, 0.1100), height: 0.009, colours: coral, base: 26)
        },
        .init("sceptre-valley", 1200, 900) {
            try fractal(
                $0, constant: nil, centre: Point(-1.2506, 0.0201), height: 0.005, colours: frost, base: 16)
        },
        .init("rose-window", 1500, 1500) { try stainedGlass($0, seed: 6, cells: 13, glass: jewels) },
        .init("chapel-glass", 1000, 1500) {
            try stainedGlass($0, seed: 19, cells: 10, glass: kingfisherColours)
        },
        .init("lagoon-glass", 3000, 2250) { try stainedGlass($0, seed: 40, cells: 18, glass: deepSea) },
        .init("folded-dawn", 1600, 1200) { try lowPoly($0, seed: 7, cells: 11, colours: dawnPaper) },
        .init("folded-reef", 1200, 800) { try lowPoly($0, seed: 23, cells: 9, colours: kingfisherColours) },
        .init("folded-forest", 900, 900) { try lowPoly($0, seed: 41, cells: 12, colours: forest) },
        .init("teal-ribbons", 1600, 1200) {
            try truchet($0, seed: 3, tiles: 9, background: Colour(0x082B3C), ribbons: kingfisherColours)
        },
        .init("plum-ribbons", 1000, 1000) {
            try truchet($0, seed: 16, tiles: 8, background: Colour(0x2B1233), ribbons: dawnPaper)
        },
        .init("paper-ribbons", 1200, 900) {
            try truchet($0, seed: 29, tiles: 12, background: Colour(0xEFE6D2), ribbons: coral)
        },
        .init("pond", 2000, 1500) { try waves($0, seed: 5, frequency: 90, colours: water) },
        .init("copper-waves", 1200, 1200) { try waves($0, seed: 14, frequency: 60, colours: copper) },
        .init("tide", 1440, 810) { try waves($0, seed: 27, frequency: 55, colours: kingfisherColours) },
    ]

    private static let abstracts: [GalleryPicture] = [
        .init("marbled-sea", 3200, 2400) { try marble($0, seed: 2, inks: deepSea) },
        .init("marbled-amber", 1600, 1200) { try marble($0, seed: 11, scale: 1.6, inks: copper) },
        .init("marbled-paper", 1200, 1600) { try marble($0, seed: 24, scale: 1.5, veins: 2, inks: jewels) },
        .init("marbled-halcyon", 1500, 1000) {
            try marble($0, seed: 33, scale: 1.8, inks: kingfisherColours)
        },
        .init("paper-lagoon", 1280, 960) { try paperCut($0, seed: 1, colours: kingfisherColours) },
        .init("paper-canyon", 960, 960) { try paperCut($0, seed: 20, colours: dawnPaper) },
        .init("current", 1600, 1200) {
            try flowField($0, seed: 4, background: Colour(0x0A2A38), inks: kingfisherColours)
        },
        .init("meadow-wind", 1200, 900) {
            try flowField($0, seed: 15, background: Colour(0xF3EBD8), inks: forest)
        },
        .init("fire-wind", 1000, 1250) {
            try flowField($0, seed: 26, background: Colour(0x1E0F1E), inks: copper)
        },
        .init("plumage", 1600, 1200) { try plumage($0, seed: 2) },
        .init("wing", 1080, 1350) { try plumage($0, seed: 18) },
        .init("riverbank-light", 1600, 1067) {
            try bokeh($0, seed: 3, background: Ramp(0x032B3A, 0x0B6570, 0x0A3B46), lights: kingfisherColours)
        },
        .init("evening-light", 1200, 1200) {
            try bokeh($0, seed: 22, background: Ramp(0x1C1030, 0x5B2350, 0x2A1238), lights: dawnPaper)
        },
    ]

    private static let icons: [GalleryPicture] = Icon.allCases.enumerated().flatMap { index, icon in
        [64, 96, 128].enumerated().map { turn, side in
            .init("\(icon.rawValue)-\(side)", side, side) { try icon.draw($0, hue: index + turn) }
        }
    }
}

private let daySky = Ramp(0x3C87B8, 0x8CC3D8, 0xF6E3C0)
private let roseSky = Ramp(0x3A3F78, 0xB0688E, 0xF7B48C)
private let goldSand = Ramp(0x5A2B17, 0xA45C2A, 0xE0A052, 0xFAD48A)
private let roseSand = Ramp(0x43203A, 0x8F4550, 0xDD8A6A, 0xFBCBA0)
private let blueNight = Ramp(0x061024, 0x0E2145, 0x24406E, 0x6A6A88)
private let violetNight = Ramp(0x120A2A, 0x2C1850, 0x5C2E74, 0xA8587E)
private let deepSea = Ramp(0x03121F, 0x0A4660, 0x17A2AC, 0xBFEEDD, 0xF7A94B, 0x7A2A22)
private let coral = Ramp(0x1B0B2A, 0x6A1B4D, 0xE0503F, 0xFBB35A, 0xFFF3D6, 0x2E7F8C)
private let frost = Ramp(0x06142B, 0x1D4E89, 0x6FB7DE, 0xF4FBFF, 0xB5A3D8, 0x3B2A63)
private let jewels = Ramp(0x0F4C81, 0x1BA39C, 0xF2B632, 0xD7422F, 0x7B1E5A, 0x2B3A8C)
private let dawnPaper = Ramp(0x2B1B4D, 0x7A2E74, 0xE0527A, 0xFF9A6B, 0xFFE0A3)
private let forest = Ramp(0x0B2B26, 0x1E5A3E, 0x5C9A4A, 0xC2CC62, 0xF4E3A0)
private let water = Ramp(0x04283A, 0x0B5A74, 0x2AA3B0, 0xA8E6DC)
private let copper = Ramp(0x1F0E1A, 0x6B2323, 0xC9592B, 0xF2A553, 0xFCE9C2)
