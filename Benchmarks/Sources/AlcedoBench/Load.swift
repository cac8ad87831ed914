import Alcedo
import Dispatch
import Foundation
import Harness

/// Loads tiny images from a transport in memory, `parallel` at a time; the seconds of one load, from call to completion.
///
/// What is left is what a load costs beside its network and its codec. With `kind=disk` the images are stored on disk too, and
/// with `kind=hit` they are loaded from there.
func load(_ arguments: Arguments) throws {
    let count = arguments.number("count", default: 1000)
    let parallel = arguments.number("parallel", default: 1)
    let (transport, kind) = (try TinyTransport(), arguments.optional("kind") ?? "memory")
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("bench-load-\(getpid())")
    defer { try? FileManager.default.removeItem(at: folder) }
    let cache = try ImageCache(name: "bench", cacheDirectoryURL: folder, diskCachePathClosure: nil)
    let manager = KingfisherManager(
        downloader: ImageDownloader(name: "bench", transport: transport), cache: cache)
    var options: KingfisherOptionsInfo = [.callbackQueue(.untouch)]
    if kind == "memory" { options.append(.cacheMemoryOnly) }
    if kind == "hit" { options.append(.waitForCache) }

    let loads = Loads(manager: manager, options: options)
    loads.run(0..<min(100, count), parallel: parallel)
    let range = 100..<100 + count
    if kind == "hit" {
        loads.run(range, parallel: parallel)
        cache.clearMemoryCache()
    }
    let before = processorTime()
    let seconds = time { loads.run(range, parallel: parallel) }
    let processor = (processorTime() - before) / Double(count)
    report([seconds / Double(count)], ["work": processor])
}

/// Loads images one after the other in each of several chains.
private final class Loads: Sendable {
    let manager: KingfisherManager
    let options: KingfisherOptionsInfo

    init(manager: KingfisherManager, options: KingfisherOptionsInfo) {
        (self.manager, self.options) = (manager, options)
    }

    func run(_ range: Range<Int>, parallel: Int) {
        let left = Countdown(range.count)
        for first in range.prefix(parallel) { load(first, to: range.upperBound, by: parallel, left) }
        left.wait()
    }

    private func load(_ index: Int, to end: Int, by step: Int, _ left: Countdown) {
        guard index < end else { return }
        guard let url = URL(string: "http://tiny.test/\(index).png") else { fail("no URL") }
        manager.retrieveImage(with: url, options: options) { [self] result in
            if case .failure(let error) = result { fail("\(error)") }
            load(index + step, to: end, by: step, left)
            left.countDown()
        }
    }
}

/// Responds to each request with the same PNG, on one thread, as a network does.
private final class TinyTransport: Transport, TransportTask {
    private let body: Data
    private let queue = DispatchQueue(label: "bench.transport")

    var priority: Float {
        get { 0.5 }
        set {}
    }

    init() throws {
        guard let data = Image(bitmap: try onePixel()).kf.pngRepresentation() else { fail("no PNG") }
        body = data
    }

    func cancel() {}

    func start(_ request: TransportRequest, handler: any TransportHandler) -> any TransportTask {
        queue.async { [body] in
            let response = TransportResponse(url: request.url, status: 200, expectedBytes: Int64(body.count))
            handler.transfer(didReceive: response) { isWanted in
                guard isWanted else { fail("not wanted") }
                body.withUnsafeBytes {
                    handler.transfer(
                        didReceive: $0.bytes, received: Int64(body.count), expected: Int64(body.count))
                }
                handler.transferDidFinish(.success(TransferResult(response: response, body: body)))
            }
        }
        return self
    }
}
