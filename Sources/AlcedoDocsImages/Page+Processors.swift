import Alcedo
import AlcedoSamples
import AlcedoTestSupport
import Foundation

/// An image that processors are applied to, and the options.
private struct Subject {
    let image: Image

    /// A photograph, 480 pixels wide.
    static func photograph() throws -> Subject {
        let data = Data(try Fixture.data("exif-orientation/Landscape_1.jpg"))
        return try Subject(image: Image(decoding: data)).after(
            DownsamplingImageProcessor(size: CGSize(width: 480, height: 480)))
    }

    /// A sample image, at half the width of a page by default.
    static func drawing(_ name: String, side: CGFloat = 480) throws -> Subject {
        guard let picture = GalleryPicture.all.first(where: { $0.name == name }) else {
            throw Missing(description: "no sample image is named \(name)")
        }
        return try Subject(image: Image(bitmap: picture.bitmap())).after(
            DownsamplingImageProcessor(size: CGSize(width: side, height: side)))
    }

    func after(_ processor: any ImageProcessor) throws -> Subject {
        let options = KingfisherParsedOptionsInfo(nil)
        guard let image = processor.process(item: .image(image), options: options) else {
            throw Missing(description: "\(processor.identifier) returned no image")
        }
        return Subject(image: image)
    }

    func tile(_ caption: String) -> Page.Tile { .init(image: image, caption: caption) }

    func tile(_ caption: String, _ processor: any ImageProcessor) throws -> Page.Tile {
        try after(processor).tile(caption)
    }
}

private struct Missing: Error, CustomStringConvertible {
    let description: String
}

extension Page {
    /// One page for each processor, and one for a chain of them.
    static func all() throws -> [Page] { try sizes() + edges() + colours() + blends() + [chain()] }

    private static func sizes() throws -> [Page] {
        let photograph = try Subject.photograph()
        let square = CGSize(width: 200, height: 200)
        let small = CGSize(width: 150, height: 150)
        return [
            Page(
                "downsampling",
                [
                    try Subject.drawing("ridges-at-dusk", side: 4000).tile("4000 × 3000 pixels"),
                    try Subject.drawing("ridges-at-dusk", side: 4000)
                        .tile(
                            "size: 220 × 220",
                            DownsamplingImageProcessor(size: CGSize(width: 220, height: 220))),
                ]),
            Page(
                "resizing",
                [
                    photograph.tile("before"),
                    try photograph.tile("200 × 200", ResizingImageProcessor(referenceSize: square)),
                    try photograph.tile(
                        "aspectFit", ResizingImageProcessor(referenceSize: square, mode: .aspectFit)),
                    try photograph.tile(
                        "aspectFill", ResizingImageProcessor(referenceSize: square, mode: .aspectFill)),
                ]),
            Page(
                "cropping",
                [
                    photograph.tile("before"),
                    try photograph.tile("150 × 150", CroppingImageProcessor(size: small)),
                    try photograph.tile(
                        "anchor: (0, 0)", CroppingImageProcessor(size: small, anchor: .zero)),
                    try photograph.tile(
                        "anchor: (1, 1)",
                        CroppingImageProcessor(size: small, anchor: CGPoint(x: 1, y: 1))),
                ]),
        ]
    }

    private static func edges() throws -> [Page] {
        let photograph = try Subject.photograph()
        let square = CGSize(width: 220, height: 220)
        let border = Border(color: .white, lineWidth: 12, radius: .point(40))
        return [
            Page(
                "round-corner",
                [
                    photograph.tile("before"),
                    try photograph.tile("cornerRadius: 40", RoundCornerImageProcessor(cornerRadius: 40)),
                    try photograph.tile(
                        "heightFraction(0.5), two corners",
                        RoundCornerImageProcessor(
                            radius: .heightFraction(0.5), roundingCorners: [.topLeft, .bottomRight])),
                    try photograph.tile(
                        "widthFraction(0.5), targetSize",
                        RoundCornerImageProcessor(radius: .widthFraction(0.5), targetSize: square)),
                ]),
            Page(
                "border",
                [
                    photograph.tile("before"),
                    try photograph.tile(
                        "lineWidth: 12", BorderImageProcessor(border: Border(color: .orange, lineWidth: 12))),
                    try photograph.tile("radius: .point(40)", BorderImageProcessor(border: border)),
                ]),
        ]
    }

    private static func colours() throws -> [Page] {
        let photograph = try Subject.photograph()
        let icon = try Subject.drawing("bird-128")
        let veil = Color(red: 0, green: 0.4, blue: 0.9, alpha: 0.5)
        return [
            Page(
                "blur",
                [
                    photograph.tile("before"),
                    try photograph.tile("blurRadius: 4", BlurImageProcessor(blurRadius: 4)),
                    try photograph.tile("blurRadius: 16", BlurImageProcessor(blurRadius: 16)),
                ]),
            Page(
                "overlay",
                [
                    photograph.tile("before"),
                    try photograph.tile("orange", OverlayImageProcessor(overlay: .orange)),
                    try photograph.tile(
                        "fraction: 0.8", OverlayImageProcessor(overlay: .orange, fraction: 0.8)),
                    icon.tile("before"), try icon.tile("orange", OverlayImageProcessor(overlay: .orange)),
                ]),
            Page(
                "tint",
                [
                    photograph.tile("before"),
                    try photograph.tile("half-transparent blue", TintImageProcessor(tint: veil)),
                    icon.tile("before"), try icon.tile("the same", TintImageProcessor(tint: veil)),
                ]),
            Page(
                "color-controls", columns: 3,
                [
                    photograph.tile("before"),
                    try photograph.tile("brightness: 0.1", controls(brightness: 0.1)),
                    try photograph.tile("contrast: 1.5", controls(contrast: 1.5)),
                    try photograph.tile("saturation: 2", controls(saturation: 2)),
                    try photograph.tile("saturation: 0.3", controls(saturation: 0.3)),
                    try photograph.tile("inputEV: 1", controls(exposure: 1)),
                ]),
            Page(
                "black-white",
                [photograph.tile("before"), try photograph.tile("after", BlackWhiteProcessor())]),
        ]
    }

    private static func controls(
        brightness: CGFloat = 0,
        contrast: CGFloat = 1,
        saturation: CGFloat = 1,
        exposure: CGFloat = 0
    ) -> ColorControlsProcessor {
        ColorControlsProcessor(
            brightness: brightness, contrast: contrast, saturation: saturation, inputEV: exposure)
    }

    private static func blends() throws -> [Page] {
        let photograph = try Subject.photograph().after(
            DownsamplingImageProcessor(size: CGSize(width: 200, height: 200)))
        let icon = try Subject.drawing("fish-128")
        let background = Color(red: 0.95, green: 0.55, blue: 0.1, alpha: 0.75)
        func tiles(_ subject: Subject, _ modes: ClosedRange<Int32>) throws -> [Page.Tile] {
            try modes.compactMap(CGBlendMode.init).map { mode in
                try subject.tile("\(mode)", BlendImageProcessor(blendMode: mode, backgroundColor: background))
            }
        }
        return [
            Page("blend", columns: 6, [photograph.tile("before")] + (try tiles(photograph, 0...15))),
            Page("blend-alpha", columns: 7, [icon.tile("before")] + (try tiles(icon, 16...27))),
        ]
    }

    private static func chain() throws -> Page {
        let photograph = try Subject.drawing("lake-at-dawn", side: 4000)
        let small = DownsamplingImageProcessor(size: CGSize(width: 300, height: 300))
        let round = RoundCornerImageProcessor(cornerRadius: 40)
        let tint = TintImageProcessor(tint: Color(red: 0.1, green: 0.2, blue: 0.6, alpha: 0.25))
        return Page(
            "chain",
            [
                photograph.tile("before"), try photograph.tile("downsampling", small),
                try photograph.tile("|> round corner", small |> round),
                try photograph.tile("|> tint (of the corners, too)", small |> round |> tint),
            ])
    }
}
