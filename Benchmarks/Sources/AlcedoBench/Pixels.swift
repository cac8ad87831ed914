import Alcedo
import Foundation
import Harness

/// Bytes to a small picture, as a list of photographs needs it.
func thumbnail(_ arguments: Arguments) throws {
    let data = try input(arguments)
    let side = arguments.number("side", default: 200)
    let processor = DownsamplingImageProcessor(size: CGSize(width: side, height: side))
    try measurePixels(arguments) { processor.process(item: .data(data), options: plain) }
}

/// Bytes to all their pixels.
func decode(_ arguments: Arguments) throws {
    let data = try input(arguments)
    try measurePixels(arguments) { try Image(decoding: data) }
}

/// Decoded pixels to fewer.
func resize(_ arguments: Arguments) throws {
    let image = Image(bitmap: try Image(decoding: try input(arguments)).bitmap())
    let size = CGSize(
        width: arguments.number("width", default: 400), height: arguments.number("height", default: 300))
    let processor = ResizingImageProcessor(referenceSize: size)
    try measurePixels(arguments) { processor.process(item: .image(image), options: plain) }
}

/// Decoded pixels to others of the same size; those that come in stay.
func filter(_ arguments: Arguments) throws {
    let image = Image(bitmap: try Image(decoding: try input(arguments)).bitmap())
    let processor: any ImageProcessor =
        switch arguments("kind") {
        case "blur": BlurImageProcessor(blurRadius: 10)
        case "corners": RoundCornerImageProcessor(cornerRadius: 80)
        case "blend": BlendImageProcessor(blendMode: .multiply, backgroundColor: accent(alpha: 1))
        case "tint": TintImageProcessor(tint: accent(alpha: 0.4))
        case "colours": ColorControlsProcessor(brightness: 0.02, contrast: 1.1, saturation: 1.3, inputEV: 0)
        case let kind: fail("no filter \(kind)")
        }
    try measurePixels(arguments) { processor.process(item: .image(image), options: plain) }
}

let plain = KingfisherParsedOptionsInfo(nil)

func accent(alpha: Double) -> KFCrossPlatformColor {
    KFCrossPlatformColor(red: 0.8, green: 0.4, blue: 0.2, alpha: alpha)
}

func input(_ arguments: Arguments) throws -> Data {
    try Data(contentsOf: URL(fileURLWithPath: arguments("input")))
}

/// Measures how long it takes until the pixels are there, and leaves them for the quality to be judged.
func measurePixels(_ arguments: Arguments, _ make: () throws -> Image?) throws {
    guard let first = try make() else { fail("there is no image") }
    let size = first.pixelSize
    if let path = arguments.optional("dump") {
        let pixels = try first.pixels(in: PixelLayout(.bgra, .premultiplied))
        try Data(pixels).write(to: URL(fileURLWithPath: path))
    }
    var last: Image?
    let seconds = try measure(arguments) {
        last = nil
        last = try make()
        _ = try last?.bitmap()
    }
    report(seconds, ["width": Double(size.width), "height": Double(size.height)])
}
