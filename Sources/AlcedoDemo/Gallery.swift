import AlcedoConsole
import AlcedoSamples
import AlcedoTestSupport
import Foundation

/// The sample images as files, with a server.
struct Gallery {
    /// The names in display order.
    var fileNames: [String] { samples.fileNames }

    private let samples: SampleFolder

    /// Creates missing files in `folder`.
    init(folder: URL) throws {
        samples = try SampleFolder(folder)
        guard samples.missingCount > 0 else { return }
        let bar = ProgressBar("Drawing the gallery", total: samples.missingCount)
        if !Terminal.showsErrors {
            Terminal.print("Drawing the gallery (first run only): \(samples.missingCount) images\n")
        }
        defer { bar.finish() }
        try samples.makeMissing { bar.step() }
    }

    /// Starts a loopback server that serves each file at `/` and its name.
    func serve() throws -> LoopbackServer {
        let server = try LoopbackServer()
        for name in fileNames {
            server.serve(
                "/\(name)", Array(try samples.data(of: name)),
                contentType: "image/\(name.split(separator: ".").last ?? "")")
        }
        return server
    }
}
