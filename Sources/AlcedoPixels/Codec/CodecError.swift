/// Why bytes could not be turned into pixels, or pixels into bytes.
public enum CodecError: Error, Equatable {
    /// A quantity that ``DecodeLimits`` bounds.
    public enum Limit: String, Sendable {
        /// ``DecodeLimits/pixelsPerFrame``.
        case pixels
        /// ``DecodeLimits/pixelsPerAnimation``.
        case animationPixels = "pixels of all frames"
        /// ``DecodeLimits/frames``.
        case frames
        /// ``DecodeLimits/encodedBytes``.
        case encodedBytes = "bytes"
        /// ``DecodeLimits/progressiveScans``.
        case progressiveScans = "progressive scans"
    }

    case unknownFormat

    /// The data ends before the image does.
    case truncated(EncodedFormat)

    /// The data breaks the rules of its format.
    case corrupt(EncodedFormat, reason: String)

    /// The data is valid but uses a feature that this codec does not support.
    case unsupported(EncodedFormat, reason: String)

    /// The image is larger than the caller allows.
    case limitExceeded(Limit, value: Int, limit: Int)

    /// Decoding took longer than ``DecodeLimits/seconds``.
    case timeLimitExceeded(seconds: Double)

    /// A video has no frame at that time; both are in seconds from its start. An unknown duration is infinite.
    case noFrame(at: Double, duration: Double)

    /// The system does not have that much memory left.
    case outOfMemory(byteCount: Int)

    /// The pixels could not be written in that format.
    case encodingFailed(EncodedFormat, reason: String)

    /// The worker process that was to decode it has failed, not necessarily by the image's fault.
    case sandboxFailed(EncodedFormat, DecodeSandbox.Failure)
}

extension CodecError {
    /// Whether the bytes are to blame, and not a limit or the system.
    package var isDamage: Bool {
        switch self {
        case .truncated, .corrupt, .unsupported, .unknownFormat: true
        case .limitExceeded, .timeLimitExceeded, .noFrame, .outOfMemory, .encodingFailed, .sandboxFailed:
            false
        }
    }

    /// Whether other bytes of the same source may be better: these are short or break the rules of their format.
    package var isCorruption: Bool {
        switch self {
        case .truncated, .corrupt: true
        default: false
        }
    }
}

extension CodecError: CustomStringConvertible {
    /// A sentence without a full stop, for use after "Could not decode …: ".
    public var description: String {
        switch self {
        case .unknownFormat: "not an image in a known format"
        case .truncated(let format): "the \(format) data is cut short"
        case .corrupt(let format, let reason): "the \(format) data is damaged (\(reason))"
        case .unsupported(let format, let reason): "this kind of \(format) is not supported (\(reason))"
        case .limitExceeded(.pixels, 0, _):
            "the size to resize or crop it to is empty: width and height must be over 0, and a view has none before layout"
        case .limitExceeded(let limit, let value, let bound):
            "it has \(value) \(limit.rawValue), the limit is \(bound)"
        case .timeLimitExceeded(let seconds):
            "decoding it takes longer than \(seconds) seconds, which DecodeLimits.seconds can raise"
        case .noFrame(let time, let duration):
            "it has no frame at \(time) s; choose a time from 0"
                + (duration.isFinite ? " to \(duration) s" : "")
        case .outOfMemory(0): "there is not enough memory"
        case .outOfMemory(let byteCount): "there is no memory for \(byteCount) bytes of pixels"
        case .encodingFailed(let format, let reason): "cannot be written as \(format) (\(reason))"
        case .sandboxFailed(_, let failure): failure.description
        }
    }
}
