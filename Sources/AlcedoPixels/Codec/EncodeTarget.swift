/// What a file has to reach, for which its quality is searched.
///
/// For formats with a quality: JPEG, WebP, AVIF, HEIC and JPEG XL. The picture is encoded up to eight times, in steps of a
/// hundredth of ``EncodeOptions/quality``, which is ignored; `qualities`, from 0.01 to 1, bound the search.
public enum EncodeTarget: Sendable, Equatable {
    /// The highest quality at which the file has at most `bytes`, with its metadata.
    ///
    /// Encoding fails with ``CodecError/encodingFailed(_:reason:)`` if no quality does, and if a format without a
    /// quality has more. For animations, too.
    case size(bytes: Int, qualities: ClosedRange<Double> = 0.01...1)

    /// The lowest quality at which the picture that is decoded again has a structural similarity (SSIM) of at least `ssim`.
    ///
    /// SSIM is 1 for equal pictures; 0.98 is a good copy, below 0.95 many see a difference. It is the mean over the
    /// luma, with a Gaussian window of 11 pixels (Wang et al., 2004); of translucent pictures the lower of that over
    /// white and over black. If no quality reaches it, the file has the highest one. Animations fail.
    case quality(ssim: Double, qualities: ClosedRange<Double> = 0.01...1)
}

extension EncodedFormat {
    /// Whether files of the format have a quality; assumed of formats that are unknown here.
    package var hasQuality: Bool { ![.png, .gif, .bmp, .ico, .tiff, .svg].contains(self) }
}
