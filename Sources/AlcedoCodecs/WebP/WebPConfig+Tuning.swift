import AlcedoPixels
import CWebP

extension WebPConfig {
    /// libwebp's presets at a quality from 0 to 1; lossless encoding always has effort 70 of 100.
    init(
        quality: Double, isLossless: Bool, _ tuning: EncoderTuning = EncoderTuning()
    ) throws(CodecError) {
        self.init()
        guard WebPConfigPreset(&self, tuning.webPPreset.forLibwebp, Float(quality * 100)) != 0 else {
            throw .encodingFailed(.webp, reason: "libwebp has another ABI version than at build time")
        }
        use_sharp_yuv = tuning.usesSharpYUV ? 1 : 0
        if isLossless {
            lossless = 1
            exact = 1
            self.quality = 70
            if tuning.isNearLossless {
                near_lossless = Int32((quality * 100).rounded())
                // Exact colours below an alpha of 0 switch it off (libwebp 1.2.4).
                exact = 0
            }
        }
    }
}

extension EncoderTuning.WebPPreset {
    fileprivate var forLibwebp: WebPPreset {
        switch self {
        case .standard: WEBP_PRESET_DEFAULT
        case .photo: WEBP_PRESET_PHOTO
        case .picture: WEBP_PRESET_PICTURE
        case .drawing: WEBP_PRESET_DRAWING
        case .icon: WEBP_PRESET_ICON
        case .text: WEBP_PRESET_TEXT
        }
    }
}
