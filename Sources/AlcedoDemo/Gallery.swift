import AlcedoConsole
import AlcedoLocks
import AlcedoSamples
import AlcedoTestSupport
import Foundation

/// The sample pictures as files in many formats, made on the first run.
struct Gallery {
    /// In the order in which they are shown.
    let fileNames: [String]

    private let folder: URL

    /// Makes what is missing in `folder`; a file is there whole or not at all.
    init(folder: URL) throws {
        self.folder = folder
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let samples = GallerySample.all
        fileNames = samples.map(\.fileName)
        try Self.make(
            samples.filter { !FileManager.default.fileExists(atPath: Self.path($0, in: folder).path) },
            in: folder)
    }

    /// Starts a server on loopback that has every file at `/` and its name.
    func serve() throws -> LoopbackServer {
        let server = try LoopbackServer()
        for name in fileNames {
            let bytes = try Data(contentsOf: folder.appendingPathComponent(name))
            server.serve(
                "/\(name)", Array(bytes), contentType: "image/\(name.split(separator: ".").last ?? "")")
        }
        return server
    }

    private static func make(_ samples: [GallerySample], in folder: URL) throws {
        guard !samples.isEmpty else { return }
        let bar = ProgressBar("Drawing the gallery", total: samples.count)
        if !Terminal.showsErrors { Terminal.print("Drawing the gallery, once: \(samples.count) images\n") }
        let failure = Lock<(any Error)?>(nil)
        DispatchQueue.concurrentPerform(iterations: samples.count) { index in
            do {
                let bytes = try samples[index].encode()
                try Data(bytes).write(to: path(samples[index], in: folder), options: .atomic)
            } catch {
                failure.withLock { $0 = error }
            }
            bar.step()
        }
        bar.finish()
        if let error = failure.withLock({ $0 }) { throw error }
    }

    private static func path(_ sample: GallerySample, in folder: URL) -> URL {
        folder.appendingPathComponent(sample.fileName)
    }
}
