import Alcedo
import AlcedoCodecs
import AlcedoSamples
import Foundation

/// The sample images as large progressive JPEGs, for the detail page.
struct LargeSamples {
    private let folder: URL

    init(_ folder: URL) throws {
        self.folder = folder
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    /// Creates missing files, except for animations and icons.
    func make(of samples: SampleFolder) throws {
        let missing = samples.fileNames.filter { !FileManager.default.fileExists(atPath: url(of: $0).path) }
        DispatchQueue.concurrentPerform(iterations: missing.count) { index in
            // If encoding fails, the server serves the original file.
            try? make(missing[index], of: samples)
        }
    }

    /// The bytes of a file; nil if it does not exist.
    func data(of fileName: String) throws -> Data? {
        let data = try Data(contentsOf: url(of: fileName))
        return data.isEmpty ? nil : data
    }

    private func make(_ fileName: String, of samples: SampleFolder) throws {
        let data = try samples.data(of: fileName)
        var bytes: [UInt8] = []
        if let image = Image(data: data), image.frameCount == 1, image.pixelSize.width > 128 {
            let reduce = DownsamplingImageProcessor(size: CGSize(width: 1600, height: 1600))
            let reduced = reduce.process(item: .data(data), options: KingfisherParsedOptionsInfo(nil))
            let options = EncodeOptions {
                $0.isProgressive = true
                $0.quality = 0.85
            }
            bytes = try CodecRegistry.shared.encode((reduced ?? image).bitmap(), as: .jpeg, options: options)
        }
        try Data(bytes).write(to: url(of: fileName), options: .atomic)
    }

    private func url(of fileName: String) -> URL { folder.appendingPathComponent(fileName) }
}
