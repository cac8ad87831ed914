import Alcedo
import Foundation

guard CommandLine.arguments.count == 3, let port = UInt16(CommandLine.arguments[2]) else {
    print("usage: PictureServer FOLDER PORT")
    exit(2)
}
ImageCache.default.diskStorage.config.sizeLimit = 1 << 30
ImageCache.default.memoryStorage.config.totalCostLimit = 128 << 20
DecodeBudget.shared.bytes = 256 << 20

let endpoint = PictureEndpoint(folder: URL(fileURLWithPath: CommandLine.arguments[1], isDirectory: true))
do {
    try Listener(port: port).start { await endpoint.respond(to: $0) }
    print("listening on http://127.0.0.1:\(port)")
} catch {
    print("Could not listen on port \(port): \(error.localizedDescription)")
    exit(1)
}

signal(SIGTERM, SIG_IGN)
let termination = DispatchSource.makeSignalSource(signal: SIGTERM, queue: .main)
termination.setEventHandler {
    Task {
        do { try await KingfisherManager.shared.shutdown(within: .seconds(8)) } catch { print(error) }
        exit(0)
    }
}
termination.resume()
dispatchMain()
