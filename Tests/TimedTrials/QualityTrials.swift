import Alcedo
import AlcedoCodecs
import AlcedoPixels
import AlcedoTestSupport
import Foundation
import Testing

/// Bytes and likeness of processed JPEGs on the disk, by ``DefaultCacheSerializer/compressionQuality`` (docs/decisions/0004).
@Suite struct `A thumbnail on the disk` {
    @Test(arguments: ["jpeg/testorig.jpg", "exif-orientation/Landscape_1.jpg"])
    func `a thumbnail on the disk has bytes and a likeness by its quality`(name: String) throws {
        let image = try #require(Image(data: Data(try Fixture.data(name))))
        for side in [100, 200, 400] {
            let size = CGSize(width: side, height: side)
            let thumbnail = try #require(
                ResizingImageProcessor(referenceSize: size, mode: .aspectFit)
                    .process(item: .image(image), options: KingfisherParsedOptionsInfo(nil)))
            let bitmap = try thumbnail.bitmap()
            for quality in [1, 0.95, 0.9, 0.85] {
                let data = try #require(thumbnail.kf.jpegRepresentation(compressionQuality: quality))
                let again = try #require(Image(data: data)).bitmap()
                let ssim = try Similarity(to: bitmap).ssim(of: again)
                print(
                    "\(name), \(bitmap.size), quality \(quality): \(data.count) bytes, SSIM "
                        + String(format: "%.4f", ssim) + ", largest error \(largestError(bitmap, again))")
            }
        }
    }

    private func largestError(_ one: Bitmap, _ other: Bitmap) -> Int {
        zip(one.bytes(in: .init(.rgba, .opaque)), other.bytes(in: .init(.rgba, .opaque)))
            .reduce(0) { max($0, abs(Int($1.0) - Int($1.1))) }
    }
}
