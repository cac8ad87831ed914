import Alcedo
import AlcedoLocks
import AlcedoTestSupport
import Dispatch
import Foundation
import Testing

@Suite(.serialized, .timeLimit(.minutes(10)))
struct `Providers of files` {
    @Test func `file providers that wait leave a thread for tasks`() async throws {
        let folder = try TemporaryDirectory()
        let file = folder.file("a")
        try Data([1, 2, 3]).write(to: file)
        let hasThread = await CooperativePool.hasThread(beside: 4, priority: .high) { wait in
            LocalFileImageDataProvider(fileURL: file).data { _ in wait() }
        }
        #expect(hasThread)
    }

    @Test func `file providers read on the queue that they are given`() async throws {
        let folder = try TemporaryDirectory()
        let file = folder.file("a")
        try Data([1, 2, 3]).write(to: file)
        let (queue, mark) = (DispatchQueue(label: "reader"), DispatchSpecificKey<Bool>())
        queue.setSpecific(key: mark, value: true)
        let provider = LocalFileImageDataProvider(fileURL: file, loadingQueue: .dispatch(queue))
        let read = OneShot<(Data, Bool), any Error>()
        provider.data { result in
            let isOnQueue = DispatchQueue.getSpecific(key: mark) == true
            read.finish(result.map { ($0, isOnQueue) })
        }
        let (bytes, isOnQueue) = try await read.value()
        #expect(bytes == Data([1, 2, 3]))
        #expect(isOnQueue)
    }
}
