import Alcedo
import Foundation

/// A program with an asynchronous `main`: `await` and callbacks on the main queue both work.
@main
struct AsyncMain {
    static func main() async throws {
        let url = URL(fileURLWithPath: CommandLine.arguments[1])
        let result = try await KingfisherManager.shared.retrieveImage(with: url)
        print("awaited: \(result.image.size.width) points wide")

        await withCheckedContinuation { continuation in
            KingfisherManager.shared.retrieveImage(with: url) { result in
                print("called back: \((try? result.get())?.cacheType ?? .none)")
                continuation.resume()
            }
        }
    }
}
