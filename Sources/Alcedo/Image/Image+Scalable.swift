extension Image {
    /// Whether the image is an unprocessed vector image, which is rendered at any size without loss.
    var isScalable: Bool { info?.isScalable ?? false }

    /// The size at which the longer side is `side` pixels; larger than the present size only for a vector image.
    func fittedSize(longerSide side: Double) -> PixelSize {
        pixelSize.fitted(longerSide: side, enlarges: isScalable)
    }
}
