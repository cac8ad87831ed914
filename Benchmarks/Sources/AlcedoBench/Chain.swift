import Alcedo
import Foundation
import Harness

/// Several processors one after another: `kind=card` from bytes, `kind=backdrop` from decoded pixels.
func chain(_ arguments: Arguments) throws {
    let data = try input(arguments)
    let size = CGSize(
        width: arguments.number("width", default: 600), height: arguments.number("height", default: 450))
    switch arguments("kind") {
    case "card":
        let processor =
            DownsamplingImageProcessor(size: size) |> RoundCornerImageProcessor(cornerRadius: 40)
            |> TintImageProcessor(tint: accent(alpha: 0.4))
        try measurePixels(arguments) { processor.process(item: .data(data), options: plain) }
    case "backdrop":
        let image = Image(bitmap: try Image(decoding: data).bitmap())
        let processor =
            ResizingImageProcessor(referenceSize: size) |> BlurImageProcessor(blurRadius: 5)
            |> OverlayImageProcessor(overlay: accent(alpha: 1), fraction: 0.6)
        try measurePixels(arguments) { processor.process(item: .image(image), options: plain) }
    case let kind: fail("no chain \(kind)")
    }
}
