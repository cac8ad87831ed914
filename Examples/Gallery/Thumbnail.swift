import Alcedo
import Foundation

/// The processing of thumbnails: squares of the same size with round corners.
///
/// Cells and the prefetcher use the same options, so prefetched images are cache hits.
enum Thumbnail {
    /// Width and height of a cell, in points.
    static let side: CGFloat = 160

    private static let square = CGSize(width: side, height: side)

    /// Downsamples so that a photograph of 3:2 has the height of a cell, then crops.
    private static let processor =
        DownsamplingImageProcessor(size: CGSize(width: side * 1.5, height: side * 1.5))
        |> CroppingImageProcessor(size: square)
        |> RoundCornerImageProcessor(cornerRadius: 10)

    /// The options of a cell's load, for a screen with `scale` pixels per point.
    static func options(scale: CGFloat) -> KingfisherOptionsInfo {
        [.processor(processor), .scaleFactor(scale), .transition(.fade(0.25))]
    }
}
