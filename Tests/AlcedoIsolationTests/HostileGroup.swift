import AlcedoPixels
import AlcedoTestSupport
import Foundation

@testable import AlcedoIsolation

extension DecoderGroup {
    /// Workers of a helper program of the package.
    static func built(
        _ helper: String, variables: [String] = [], workers: Int? = nil, memoryLimit: Int? = nil
    ) -> DecoderGroup {
        DecoderGroup(
            BuiltProgram.url(of: helper).path, isIsolatedByDefault: true, variables: variables,
            workers: workers, memoryLimit: memoryLimit)
    }

    /// Workers that may do what a hostile image wants.
    static var hostile: DecoderGroup { built("HostileWorker", workers: 1, memoryLimit: 256 << 20) }
}

/// Tells hostile images from others, and decodes none of them here.
struct HostileFormat: ImageCodec {
    func format(of bytes: RawSpan) -> EncodedFormat? {
        let isHostile = bytes.withUnsafeBytes { $0.starts(with: Array("hostile ".utf8)) }
        return isHostile ? EncodedFormat(rawValue: "hostile") : nil
    }

    func info(of bytes: RawSpan, limits: DecodeLimits) throws(CodecError) -> ImageInfo {
        throw .unknownFormat
    }

    func decode(_ bytes: RawSpan, options: DecodeOptions) throws(CodecError) -> Bitmap {
        throw .unknownFormat
    }
}
