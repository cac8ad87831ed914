import Alcedo
import Foundation
import Harness

/// Decoded pixels to a file of the format `kind=`, of `quality=` percent if it is lossy; leaves the file to be judged.
func encode(_ arguments: Arguments) throws {
    let image = Image(bitmap: try Image(decoding: try input(arguments)).bitmap())
    let format = EncodedFormat(rawValue: arguments("kind"))
    let options = EncodeOptions {
        $0.quality = Double(arguments.number("quality", default: 80)) / 100
        $0.isDithered = arguments.number("dithered", default: 1) == 1
    }
    let file = try image.data(as: format, options: options)
    if let path = arguments.optional("dump") { try file.write(to: URL(fileURLWithPath: path)) }
    let seconds = try measure(arguments) { _ = try image.data(as: format, options: options) }
    report(seconds, ["bytes": Double(file.count)])
}
