import Alcedo
import AlcedoCodecs
import AlcedoSamples
import Foundation

/// The sample images as large progressive JPEGs, for the detail page.
struct LargeSamples: Sendable {
    private let folder: URL
    private let samples: SampleFolder

    init(_ folder: URL, of samples: SampleFolder) throws {
        self.folder = folder
        self.samples = samples
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    /// The bytes of a file, which is created if it is missing; those of the sample for animations and icons.
    func data(of fileName: String) throws -> Data {
        let file = folder.appendingPathComponent(fileName)
        if let data = try? Data(contentsOf: file) { return data }
        let original = try samples.data(of: fileName)
        // The original is served if the image can't be encoded.
        let data = (try? progressive(original)) ?? original
        try data.write(to: file, options: .atomic)
        return data
    }

    /// Nil for animations and icons.
    private func progressive(_ original: Data) throws -> Data? {
        guard let image = Image(data: original), image.frameCount == 1, image.pixelSize.width > 128 else {
            return nil
        }
        let reduce = DownsamplingImageProcessor(size: CGSize(width: 1600, height: 1600))
        let reduced = reduce.process(item: .data(original), options: KingfisherParsedOptionsInfo(nil))
        return try (reduced ?? image).data(
            as: .jpeg, options: EncodeOptions(quality: 0.85, isProgressive: true))
    }
}
