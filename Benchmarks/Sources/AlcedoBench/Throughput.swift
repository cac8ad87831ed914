import Alcedo
import Foundation
import Harness
import Synchronization

/// Pictures in memory to 200 pixels on so many `threads=`; the seconds of one.
///
/// With `isolated=1`, workers decode them.
func throughput(_ arguments: Arguments) throws {
    let folder = URL(fileURLWithPath: arguments("folder"), isDirectory: true)
    let names = try String(contentsOfFile: arguments("list"), encoding: .utf8).split(separator: "\n")
    let files = try names.prefix(arguments.number("count", default: 300)).map {
        try Data(contentsOf: folder.appendingPathComponent(String($0), isDirectory: false))
    }
    let isIsolated = arguments.number("isolated", default: 0) == 1
    if isIsolated {
        DecodeSandbox.programFolder = arguments("helpers")
        guard try DecodeSandbox.start(.common) >= .systemCalls else { fail("no sandbox") }
    }
    let isolation: DecodeSandbox = isIsolated ? .required : .off
    let options = KingfisherParsedOptionsInfo([.decodeSandbox(isolation)])
    let processor = DownsamplingImageProcessor(size: CGSize(width: 200, height: 200))
    let threads = arguments.number("threads", default: 1)
    let seconds = (0..<3).map { _ in
        let next = SharedIndex()
        return time(onThreads: threads) { _ in
            while let index = next.take(below: files.count) {
                let image = processor.process(item: .data(files[index]), options: options)
                guard let image, (try? image.bitmap()) != nil else { fail("no image") }
            }
        } / Double(files.count)
    }
    DecodeSandbox.stop()
    // The first run warms up, and starts further workers.
    report(Array(seconds.dropFirst()))
}

private final class SharedIndex: Sendable {
    private let value = Atomic(0)

    func take(below count: Int) -> Int? {
        let index = value.add(1, ordering: .relaxed).oldValue
        return index < count ? index : nil
    }
}
