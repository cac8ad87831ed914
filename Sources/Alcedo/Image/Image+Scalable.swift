extension Image {
    /// Whether it is drawn anew at every size, as a vector picture is that nothing has changed yet.
    var isScalable: Bool { info?.isScalable ?? false }

    /// The size at which the longer side is `side` pixels; that of a vector picture may be larger than its own.
    func fittedSize(longerSide side: Double) -> PixelSize {
        pixelSize.fitted(longerSide: side, enlarges: isScalable)
    }
}
