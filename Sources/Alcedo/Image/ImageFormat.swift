public import Foundation

/// The formats that Kingfisher's API can name; ``EncodedFormat`` names them all.
public enum ImageFormat: Sendable {
    /// Any format but the three below.
    case unknown
    /// PNG.
    case PNG
    /// JPEG.
    case JPEG
    /// GIF.
    case GIF

    var encoded: EncodedFormat? {
        switch self {
        case .unknown: nil
        case .PNG: .png
        case .JPEG: .jpeg
        case .GIF: .gif
        }
    }
}

extension Data: KingfisherCompatibleValue {}

extension KingfisherWrapper where Base == Data {
    /// The format that the first bytes tell; `.unknown` for eight bytes or fewer.
    public var imageFormat: ImageFormat {
        guard base.count > 8 else { return .unknown }
        return if base.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
            .PNG
        } else if base.starts(with: [0xFF, 0xD8, 0xFF]) {
            .JPEG
        } else if base.starts(with: [0x47, 0x49, 0x46]) {
            .GIF
        } else {
            .unknown
        }
    }
}
