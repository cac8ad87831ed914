import Alcedo
import Foundation

// A program with Foundation's run loop: callbacks run on the main thread while the loop runs.

let url = URL(fileURLWithPath: CommandLine.arguments[1])
KingfisherManager.shared.retrieveImage(with: url) { result in
    precondition(Thread.isMainThread)
    print("called back: \((try? result.get())?.image.size.width ?? 0) points wide")
    exit(0)
}
RunLoop.main.run()
