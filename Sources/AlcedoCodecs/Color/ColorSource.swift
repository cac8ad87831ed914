/// What an image says about its colours, and how they are converted to sRGB.
package struct ColorSource: Hashable {
    /// Nil if there is an encoding.
    let profile: [UInt8]?
    let encoding: RGBEncoding?
    /// The channels of the pixels.
    let layout: ColorLayout

    /// The colours of an ICC profile; those that its `cicp` tag names, if it has one.
    package init(profile: [UInt8], layout: ColorLayout) {
        self.layout = layout
        encoding = layout.isRGB ? ICCProfile.encoding(of: profile) : nil
        self.profile = encoding == nil ? profile : nil
    }

    /// The colours of code points or similar numbers, for RGBA; grey is in all three channels.
    package init(_ encoding: RGBEncoding) {
        (profile, layout) = (nil, .rgba)
        self.encoding = encoding
    }

    /// For 8-bit pixels; nil if the colours equal sRGB, are invalid or do not fit the layout.
    package var transform: ColorTransform? { ColorTransform.toSRGB(from: self) }

    /// For 16-bit samples; nil as for ``transform``.
    package var deepTransform: DeepTransform? { DeepTransform.toSRGB(from: self) }
}
