import AlcedoCodecs
import Foundation

extension Image {
    /// The name of the colour profile that its bytes bring; nil if they bring none.
    package var profileName: String? {
        guard let encoded,
            let profile = codecs.profile(of: encoded.data.bytes, limits: encoded.limits)
        else { return nil }
        return ICCProfile.description(of: profile) ?? "unnamed"
    }
}
