import Alcedo
import Foundation

/// The values of `--sandbox`.
enum Sandbox: String {
    /// A worker process decodes every image, or decoding fails.
    case require

    /// A worker process decodes images from the network, and formats whose libraries cannot be bounded.
    case prefer

    /// This process decodes.
    case off

    static let option = Arguments.Option.value("sandbox")

    static let details = """
          --sandbox prefer|require|off
                             where to decode images: prefer (the default) decodes those from the network and from
                             pipes, and every SVG, HEIC, AVIF and JPEG XL, in a worker process that the kernel
                             restricts, if one is available; require decodes every image in one, or fails; off, none
        """

    init(_ arguments: Arguments) throws {
        let word = arguments.value("sandbox") ?? "prefer"
        guard let sandbox = Sandbox(rawValue: word) else {
            throw UsageError(message: "--sandbox takes require, prefer or off, not “\(word)”")
        }
        self = sandbox
    }

    /// Where an image is decoded; one from a pipe may be from the network.
    func isolation(for input: Input) -> DecodeSandbox {
        switch self {
        case .require: .required
        case .prefer: input.url.isFileURL && !input.isPipe ? .automatic : .preferred
        case .off: .off
        }
    }
}
