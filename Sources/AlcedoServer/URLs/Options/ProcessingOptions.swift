package import AlcedoPixels

/// All options of a URL, with their defaults.
package struct ProcessingOptions: Sendable, Equatable {
    package var resizingType = ResizingType.fit
    /// The target in pixels; 0 follows from the other side.
    package var width = 0
    package var height = 0
    package var minWidth = 0
    package var minHeight = 0
    /// Factors of the target's sides; above 0 and finite.
    package var zoomX = 1.0
    package var zoomY = 1.0
    /// Pixels for each pixel of the target; above 0 and finite.
    package var dpr = 1.0
    package var enlarge = false
    package var extend = Extend()
    package var extendAspectRatio = Extend()
    package var gravity = Gravity()
    package var crop: Crop?
    package var trim: Trim?
    package var padding = Padding()

    package var autoRotate = true
    /// Clockwise: 0, 90, 180 or 270; after the orientation of the file.
    package var rotation = 0
    /// After the rotation.
    package var flipsHorizontally = false
    package var flipsVertically = false

    package var background: RGBColor?
    /// Sigma in pixels of the result, not scaled by ``dpr``; 0 is off.
    package var blur = 0.0
    package var sharpen = 0.0
    /// The side of a block in pixels; 0 and 1 are off.
    package var pixelate = 1
    package var watermark: Watermark?

    package var stripMetadata = true
    package var keepCopyright = true
    /// Converts to sRGB as well.
    package var stripColorProfile = true
    package var preserveHDR = false
    package var enforceThumbnail = false

    /// 1–100; 0 uses ``formatQuality``.
    package var quality = 0
    /// 0–100 for each format; one that is absent, or 0, uses the encoder's default.
    package var formatQuality: [EncodedFormat: Int] = [.jpeg: 80, .webp: 79, .avif: 63, .jxl: 77]
    /// 0 is unlimited.
    package var maxBytes = 0
    package var encoding = EncodingOptions()
    package var autoQuality = AutoQuality()
    /// `nil` chooses the format from the request and the source.
    package var format: EncodedFormat?
    /// Formats that are sent unprocessed if the result would have the same format.
    package var skipProcessing: Set<EncodedFormat> = []
    package var raw = false
    /// The time of the frame that is shown of a video; the last one is shown after its end.
    package var videoSecond = 1.0

    package var cachebuster = ""
    /// Unix time; in the future when the URL was parsed.
    package var expires: Int?
    /// The file name without an extension; if empty, that of the source URL's.
    package var filename = ""
    package var returnsAttachment = false
    package var limits = SecurityLimits()

    package init() {}
}

/// How the source is fitted to the target.
package enum ResizingType: String, Sendable, CaseIterable {
    case fit
    case fill
    case fillDown = "fill-down"
    case force
    case auto
}

/// Whether the canvas grows to the target, and where the image lies in it.
package struct Extend: Sendable, Equatable {
    package var isEnabled = false
    /// Never smart.
    package var gravity = Gravity()
}

/// A crop of the source, before scaling.
package struct Crop: Sendable, Equatable {
    /// From 1 in pixels, below 1 a share of the side, 0 the whole side; finite.
    package var width = 0.0
    package var height = 0.0
    /// `nil` uses the gravity of the options.
    package var gravity: Gravity?
}

/// The removal of a border of one colour.
package struct Trim: Sendable, Equatable {
    /// The greatest difference to the border's colour.
    package var threshold = 10.0
    /// `nil` uses the colour of the first pixel.
    package var color: RGBColor?
    package var equalHorizontally = false
    package var equalVertically = false
}

/// Space around the image, in pixels of the target: multiply by the effective DPR.
package struct Padding: Sendable, Equatable {
    package var top = 0
    package var right = 0
    package var bottom = 0
    package var left = 0
}

/// An image that is drawn above the result.
package struct Watermark: Sendable, Equatable {
    /// 0–1, to be multiplied by the setting's opacity.
    package var opacity = 1.0
    package var position = WatermarkPosition.gravity(Gravity())
    /// The share of the result that the watermark is fitted into; `nil` keeps its size.
    package var scale: Double?
}

/// Where a watermark is drawn.
package enum WatermarkPosition: Sendable, Equatable {
    /// Neither smart nor a focus point.
    case gravity(Gravity)
    /// Repeated over the whole image with gaps of x and y: pixels from 1, shares of the image below 1.
    case tiled(x: Double, y: Double)
}

/// A colour without alpha.
package struct RGBColor: Sendable, Hashable {
    package var red: UInt8
    package var green: UInt8
    package var blue: UInt8

    package init(red: UInt8, green: UInt8, blue: UInt8) {
        self.red = red
        self.green = green
        self.blue = blue
    }
}

/// Limits of a URL; `nil` keeps the setting's.
package struct SecurityLimits: Sendable, Equatable {
    /// In megapixels.
    package var maxSourceResolution: Double?
    /// In bytes; 0 is unlimited.
    package var maxSourceFileSize: Int?
    package var maxAnimationFrames: Int?
    /// In megapixels; 0 limits all frames together.
    package var maxAnimationFrameResolution: Double?
    /// In pixels; 0 is unlimited.
    package var maxResultDimension: Int?
}
