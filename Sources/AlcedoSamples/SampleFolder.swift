import AlcedoTestSupport
package import Foundation

/// A folder with the sample images as files in several formats; each file is created once.
package struct SampleFolder: Sendable {
    /// The names in display order.
    package let fileNames: [String]

    private let url: URL
    private let missing: [GallerySample]

    /// Opens a folder, and creates it if it does not exist.
    package init(_ url: URL) throws {
        self.url = url
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        let samples = GallerySample.all
        fileNames = samples.map(\.fileName)
        missing = samples.filter {
            !FileManager.default.fileExists(atPath: url.appendingPathComponent($0.fileName).path)
        }
    }

    /// The number of files that ``makeMissing(didMake:)`` creates.
    package var missingCount: Int { missing.count }

    /// Creates missing files on all cores, each atomically.
    package func makeMissing(didMake: @escaping @Sendable () -> Void) throws {
        let failure = Monitor<(any Error)?>(nil)
        DispatchQueue.concurrentPerform(iterations: missing.count) { index in
            do {
                let bytes = try missing[index].encode()
                let file = url.appendingPathComponent(missing[index].fileName)
                try Data(bytes).write(to: file, options: .atomic)
            } catch {
                failure.update { $0 = error }
            }
            didMake()
        }
        if let error = failure.value { throw error }
    }

    /// The bytes of a file.
    package func data(of fileName: String) throws -> Data {
        try Data(contentsOf: url.appendingPathComponent(fileName))
    }
}
