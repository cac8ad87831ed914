import AlcedoCodecs
import Foundation

extension Image {
    /// The name of the embedded colour profile; nil if there is none.
    package var profileName: String? {
        guard let encoded,
            let profile = encoded.resources.codecs.profile(of: encoded.data.bytes, limits: encoded.limits)
        else { return nil }
        return ICCProfile.description(of: profile) ?? "unnamed"
    }
}
