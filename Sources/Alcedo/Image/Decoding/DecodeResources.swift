package import AlcedoCodecs
import AlcedoIsolation
import AlcedoPixels

package struct DecodeResources: Sendable {
    let codecs: CodecRegistry
    let budget: DecodeBudget

    /// ``CodecRegistry/shared`` and ``DecodeBudget/shared`` for nil.
    package init(codecs: CodecRegistry? = nil, budget: DecodeBudget? = nil) {
        self.codecs = codecs ?? Alcedo.codecs
        self.budget = budget ?? .shared
    }
}

extension KingfisherParsedOptionsInfo {
    var decodeResources: DecodeResources { DecodeResources(codecs: codecs, budget: decodeBudget) }
}

/// Decodes frames of videos, in the worker processes of `alcedo-decode-video`.
let videoFrames: any FileDecoder = {
    // Sets the memory limit of workers.
    _ = codecs
    return IsolatedFileDecoder(of: .video, in: .video)
}()
