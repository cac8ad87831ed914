public import Foundation

/// The formats in Kingfisher's API; ``EncodedFormat`` covers all formats.
public enum ImageFormat: Sendable {
    /// Any other format.
    case unknown
    case PNG
    case JPEG
    case GIF

    /// A marker in a JPEG (ISO/IEC 10918-1, B.1.1.3): the byte 0xFF and another one.
    public enum JPEGMarker: Sendable {
        /// Starts a baseline frame.
        case SOF0
        /// Starts a progressive frame.
        case SOF2
        /// Huffman tables.
        case DHT
        /// Quantisation tables.
        case DQT
        /// The interval between restart markers.
        case DRI
        /// Starts a scan.
        case SOS
        /// Restarts the decoder, from 0 to 7.
        case RSTn(UInt8)
        /// Application data, any of sixteen markers.
        case APPn
        /// A comment.
        case COM
        /// Ends the image.
        case EOI

        var secondBytes: ClosedRange<UInt8> {
            switch self {
            case .SOF0: 0xC0...0xC0
            case .SOF2: 0xC2...0xC2
            case .DHT: 0xC4...0xC4
            case .DQT: 0xDB...0xDB
            case .DRI: 0xDD...0xDD
            case .SOS: 0xDA...0xDA
            case .RSTn(let number): (0xD0 + number & 7)...(0xD0 + number & 7)
            case .APPn: 0xE0...0xEF
            case .COM: 0xFE...0xFE
            case .EOI: 0xD9...0xD9
            }
        }
    }
}

extension Data: KingfisherCompatibleValue {}

extension KingfisherWrapper where Base == Data {
    /// The format that the first bytes indicate; `.unknown` for eight bytes or fewer.
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

    /// Whether the two bytes of a marker occur anywhere in a JPEG, even inside other data.
    ///
    /// False for data in any other format.
    public func contains(jpeg marker: ImageFormat.JPEGMarker) -> Bool {
        guard imageFormat == .JPEG else { return false }
        let wanted = marker.secondBytes
        return base.withUnsafeBytes { bytes in
            for index in 1..<bytes.count where bytes[index - 1] == 0xFF && wanted.contains(bytes[index]) {
                return true
            }
            return false
        }
    }
}
