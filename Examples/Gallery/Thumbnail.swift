import Alcedo
import Foundation

/// How pictures become cells: all of them squares of the same size with round corners.
///
/// Cells and the prefetcher use the same options, so that what is fetched ahead is found in the cache.
enum Thumbnail {
    /// Width and height of a cell, in points.
    static let side: CGFloat = 176

    private static let square = CGSize(width: side, height: side)

    /// Reduced while it is decoded, for a photograph of 3:2 is as high as a cell then; the rest is cut off.
    private static let processor =
        DownsamplingImageProcessor(size: CGSize(width: side * 1.5, height: side * 1.5))
        |> CroppingImageProcessor(size: square)
        |> RoundCornerImageProcessor(cornerRadius: 10)

    /// What a cell's load is told, on a screen with so many pixels per point.
    static func options(scale: CGFloat) -> KingfisherOptionsInfo {
        [.processor(processor), .scaleFactor(scale), .transition(.fade(0.25))]
    }

    /// What is seen until the picture is there: a card, made of a single grey pixel.
    static let placeholder: KFCrossPlatformImage? = {
        let pixel =
            "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAA"
            + "AADElEQVR4nGNQUNcDAADgAHZeJzSZAAAAAElFTkSuQmCC"
        let card = RoundCornerImageProcessor(cornerRadius: 10, targetSize: square)
        guard let data = Data(base64Encoded: pixel) else { return nil }
        return card.process(item: .data(data), options: KingfisherParsedOptionsInfo(nil))
    }()
}
