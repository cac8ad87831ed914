/// A part of a picture that is decoded without the rest.
package struct DecodeRegion: Sendable, Hashable {
    /// The part, in pixels of the reduced picture as it is stored.
    package var frame: PixelFrame

    /// How many stored pixels of a side become one; of ``reductions``.
    package var reduction: Int

    package init(_ frame: PixelFrame, reduction: Int = 1) {
        (self.frame, self.reduction) = (frame, reduction)
    }

    /// Those that a region may have.
    package static let reductions = [1, 2, 4, 8]

    /// The size of a whole picture at a reduction, rounded up: the last pixel of a side may show less than the others.
    package static func size(of picture: PixelSize, reducedBy reduction: Int) -> PixelSize {
        PixelSize(
            width: (picture.width + reduction - 1) / reduction,
            height: (picture.height + reduction - 1) / reduction)
    }
}
