import Alcedo
import AlcedoLocks
import AlcedoTestSupport
import Dispatch
import Foundation
import Testing

@testable import EngineFixtures

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

    @Test func `files whose names are not UTF-8 are loaded, each with a key of its own`() async throws {
        let folder = try TemporaryDirectory()
        let loading = try Loading()
        var keys: Set<String> = []
        for (name, file) in [("a", "testorig.jpg"), ("b", "monkey16.png")] {
            let copy = folder.file("copy")
            try FileManager.default.copyItem(at: Fixture.url("jpeg/\(file)"), to: copy)
            let url = try folder.renameToBytes(copy, name, " 1.jpg")
            let result = try await loading.manager.retrieveImage(with: url)
            #expect(result.image.pixelSize.width == (name == "a" ? 227 : 149))
            keys.insert(url.cacheKey)
            #expect(
                try await LocalFileImageDataProvider(fileURL: url).data
                    == Data(contentsOf: Fixture.url("jpeg/\(file)")))
        }
        #expect(keys.count == 2)
        let missing = try #require(URL(string: "file://\(folder.path)/c%FF.jpg"))
        let error = await #expect(throws: KingfisherError.self) {
            try await loading.manager.retrieveImage(with: missing)
        }
        #expect(error?.localizedDescription.contains("c\u{FFFD}.jpg") == true)
    }
}
