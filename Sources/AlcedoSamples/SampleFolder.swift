import AlcedoTestSupport
package import Foundation

/// A folder with the sample images as files in several formats; each file is created once.
package struct SampleFolder: Sendable {
    /// The names in display order.
    package let fileNames: [String]

    private let url: URL
    private let samples: [String: GallerySample]
    private let missing: [GallerySample]

    /// Opens a folder, and creates it if it does not exist.
    package init(_ url: URL) throws {
        self.url = url
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        let samples = GallerySample.all
        self.samples = Dictionary(uniqueKeysWithValues: samples.map { ($0.fileName, $0) })
        fileNames = samples.map(\.fileName)
        missing = samples.filter {
            !FileManager.default.fileExists(atPath: url.appendingPathComponent($0.fileName).path)
        }
    }

    package var missingCount: Int { missing.count }

    /// Creates missing files on all cores, each atomically.
    package func makeMissing(didMake: @escaping @Sendable () -> Void) throws {
        let failure = Monitor<(any Error)?>(nil)
        DispatchQueue.concurrentPerform(iterations: missing.count) { index in
            do { try make(missing[index]) } catch { failure.update { $0 = error } }
            didMake()
        }
        if let error = failure.value { throw error }
    }

    /// The bytes of a file, which is created if it is missing.
    package func data(of fileName: String) throws -> Data {
        let file = url.appendingPathComponent(fileName)
        if let sample = samples[fileName], !FileManager.default.fileExists(atPath: file.path) {
            try make(sample)
        }
        return try Data(contentsOf: file)
    }

    private func make(_ sample: GallerySample) throws {
        let file = url.appendingPathComponent(sample.fileName)
        try Data(sample.encode()).write(to: file, options: .atomic)
    }
}
