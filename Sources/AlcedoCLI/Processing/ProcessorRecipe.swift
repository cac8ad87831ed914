import Alcedo
import Foundation

/// A processor of `--process`, and its initialiser.
struct ProcessorRecipe {
    /// Name and arguments as a person writes them.
    let usage: String

    let summary: String

    let make: (inout ProcessorArguments) throws -> any ImageProcessor

    /// The name, in lower case.
    var name: Substring { usage.prefix { $0 != "(" } }

    init(
        _ usage: String, _ summary: String,
        _ make: @escaping (inout ProcessorArguments) throws -> any ImageProcessor
    ) {
        self.usage = usage
        self.summary = summary
        self.make = make
    }

    static var all: [ProcessorRecipe] { sizes + edges + colors }

    private static var sizes: [ProcessorRecipe] {
        [
            ProcessorRecipe("downsample(WxH)", "like --downsample") {
                DownsamplingImageProcessor(size: try $0.size())
            },
            ProcessorRecipe("resize(WxH[, fit|fill])", "stretch to this size, or as fit and fill do") {
                let size = $0.isLast ? try $0.exactSize() : try $0.size()
                let modes: [(String, ContentMode)] = [("fit", .aspectFit), ("fill", .aspectFill)]
                return ResizingImageProcessor(
                    referenceSize: size, mode: $0.hasMore ? try $0.choice(modes) : .none)
            },
            ProcessorRecipe("fit(WxH)", "scale up or down to fit inside; keeps the aspect ratio") {
                ResizingImageProcessor(referenceSize: try $0.size(), mode: .aspectFit)
            },
            ProcessorRecipe("fill(WxH)", "scale up or down to cover; keeps the aspect ratio") {
                ResizingImageProcessor(referenceSize: try $0.size(), mode: .aspectFill)
            },
            ProcessorRecipe("crop(WxH[, X, Y])", "cut out; X and Y from 0 to 1, the middle by default") {
                let size = try $0.size()
                guard $0.hasMore else { return CroppingImageProcessor(size: size) }
                let anchor = CGPoint(x: try $0.number(.fraction), y: try $0.number(.fraction))
                return CroppingImageProcessor(size: size, anchor: anchor)
            },
            ProcessorRecipe("smartcrop(WxH)", "cut out where edges and saturated colours are") {
                SmartCroppingImageProcessor(size: try $0.size())
            },
        ]
    }

    private static var edges: [ProcessorRecipe] {
        [
            ProcessorRecipe("round(R)", "round the corners, with a radius of R pixels") {
                RoundCornerImageProcessor(cornerRadius: try $0.number(.positive(upTo: 65_535)))
            },
            ProcessorRecipe("border(W, #rrggbb)", "draw a line of W pixels inside the edges") {
                let width = try $0.number(.positive(upTo: 65_535))
                return BorderImageProcessor(border: Border(color: try $0.color(), lineWidth: width))
            },
            ProcessorRecipe("blur(R)", "blur with a standard deviation of R pixels, up to 1000") {
                BlurImageProcessor(blurRadius: try $0.number(.positive(upTo: 1000)))
            },
        ]
    }

    private static var colors: [ProcessorRecipe] {
        [
            ProcessorRecipe("tint(#rrggbb[aa][, F])", "draw a colour over everything, with opacity F") {
                let color = try $0.color()
                let opacity = $0.hasMore ? try $0.number(.fraction) : 1
                return TintImageProcessor(tint: color.withAlphaComponent(color.alpha * opacity))
            },
            ProcessorRecipe(
                "overlay(#rrggbb[aa][, F])", "mix with a colour; F of the image stays, 0.5 by default"
            ) {
                let color = try $0.color()
                return OverlayImageProcessor(
                    overlay: color, fraction: $0.hasMore ? try $0.number(.fraction) : 0.5)
            },
            ProcessorRecipe("background(#rrggbb[aa])", "draw a colour behind transparent parts") {
                BlendImageProcessor(blendMode: .normal, backgroundColor: try $0.color())
            },
            ProcessorRecipe("blackwhite", "make it black and white") { _ in BlackWhiteProcessor() },
            ProcessorRecipe(
                "color(B, C, S, EV)",
                "add brightness B, multiply contrast C and saturation S, expose by EV stops"
            ) {
                ColorControlsProcessor(
                    brightness: try $0.number(.from(-1, to: 1)), contrast: try $0.number(.from(0, to: 10)),
                    saturation: try $0.number(.from(0, to: 10)), inputEV: try $0.number(.from(-10, to: 10)))
            },
        ]
    }
}

extension NumberRange {
    fileprivate static var fraction: NumberRange { .from(0, to: 1) }
}
