package import AlcedoCodecs

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
