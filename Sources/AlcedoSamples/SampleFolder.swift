import AlcedoTestSupport
package import Foundation

/// The sample pictures as files in many formats; each is made once.
package struct SampleFolder: Sendable {
    /// In the order in which they are shown.
    package let fileNames: [String]

    private let url: URL
    private let missing: [GallerySample]

    /// Looks for the files in a folder, which is made if it is not there.
    package init(_ url: URL) throws {
        self.url = url
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        let samples = GallerySample.all
        fileNames = samples.map(\.fileName)
        missing = samples.filter {
            !FileManager.default.fileExists(atPath: url.appendingPathComponent($0.fileName).path)
        }
    }

    /// How many files ``makeMissing(didMake:)`` makes.
    package var missingCount: Int { missing.count }

    /// Makes what is not there, on all cores; a file is there whole or not at all.
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
