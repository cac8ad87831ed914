import Alcedo
import Foundation

// A program that calls `dispatchMain()`, as servers do: callbacks run on the main queue.

let url = URL(fileURLWithPath: CommandLine.arguments[1])
KingfisherManager.shared.retrieveImage(with: url) { result in
    dispatchPrecondition(condition: .onQueue(.main))
    print("called back: \((try? result.get())?.image.size.width ?? 0) points wide")
    exit(0)
}
dispatchMain()
