import AlcedoCodecs
import AlcedoPixels
import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import EngineFixtures

/// A kind of event, for comparisons.
private enum Kind: Equatable {
    case progress(Int64, Int64?)
    case preview(Int)
    case result(CacheType)

    init(_ event: LoadSequence.Event) {
        self =
            switch event {
            case .progress(let received, let total): .progress(received, total)
            case .preview(let image): .preview(Int(image.size.width))
            case .result(let result): .result(result.cacheType)
            }
    }
}

@Suite(.timeLimit(.minutes(10)))
struct `A load as a sequence` {
    let loading: Loading
    var manager: KingfisherManager { loading.manager }

    init() throws { loading = try Loading() }

    /// An image whose bytes come up to three quarters, and the others after `gate` opens.
    private func serve(until gate: Gate) throws -> URL {
        var pixels = try PixelBuilder(size: PixelSize(width: 300, height: 300), alpha: .opaque)
        pixels.withUnsafeMutableBytes { bytes in
            for index in bytes.indices {
                bytes[index] = index % 4 == 3 ? 255 : UInt8(index * index >> 7 & 255)
            }
        }
        let body = try CodecRegistry.shared.encode(
            pixels.freeze(), as: .jpeg, options: EncodeOptions(isProgressive: true))
        loading.server.serve("/a.jpg", Reply(body: body).hold(.byte(body.count * 3 / 4), until: gate))
        return loading.server.url("/a.jpg")
    }

    @Test func `a load as a sequence has the progress, previews, and the result at its end`() async throws {
        let gate = Gate()
        let events = manager.events(of: try serve(until: gate))
        var kinds: [Kind] = []
        for try await event in events {
            kinds.append(Kind(event))
            if case .preview = event { gate.open() }
        }
        let result = try #require(kinds.last)
        #expect(result == .result(.none))
        #expect(kinds.contains { if case .preview(let width) = $0 { width > 0 } else { false } })
        #expect(
            kinds.contains {
                if case .progress(let received, let total?) = $0 { received <= total } else { false }
            })
        #expect(kinds.filter { if case .result = $0 { true } else { false } }.count == 1)
        var again: [Kind] = []
        for try await event in events { again.append(Kind(event)) }
        #expect(again == [.result(.memory)])
    }

    @Test func `a load as a sequence throws what the load fails with`() async throws {
        loading.server.serve("/a.png", Reply.status(404))
        let error = await kingfisherError {
            for try await event in manager.events(of: loading.server.url("/a.png")) {
                #expect(Kind(event) != .result(.none))
            }
        }
        #expect(error?.isInvalidResponseStatusCode(404) == true)
    }

    @Test func `a load as a sequence is cancelled with the task that iterates`() async throws {
        let never = Gate()
        defer { never.open() }
        let url = try serve(until: never)
        let seen = Recorder<Kind>()
        let task = Task { [manager] in
            for try await event in manager.events(of: url) { seen.append(Kind(event)) }
        }
        await seen.waitFor(count: 1)
        task.cancel()
        #expect(await kingfisherError { try await task.value }?.isTaskCancelled == true)
        await loading.server.waitForAbandonedReplies(1)
    }

    @Test func `a load as a sequence is cancelled by leaving the loop`() async throws {
        let never = Gate()
        defer { never.open() }
        for try await _ in manager.events(of: try serve(until: never)) { break }
        await loading.server.waitForAbandonedReplies(1)
    }

    @Test
    func `a load as a sequence keeps the latest of each kind for a slow loop, or the result alone`()
        async throws
    {
        let buffer = LoadSequenceBuffer()
        let images = try (1...3).map { try Image(bitmap: Sample.bitmap($0, 1)) }
        buffer.report(received: 1, total: -1)
        buffer.report(received: 2, total: -1)
        buffer.show(images[0])
        buffer.show(images[1])
        #expect(try await buffer.next().map(Kind.init) == .progress(2, nil))
        #expect(try await buffer.next().map(Kind.init) == .preview(2))
        buffer.show(images[2])
        let result = RetrieveImageResult(
            image: images[0], cacheType: .disk, source: .network(loading.server.url("/")),
            originalSource: .network(loading.server.url("/"))
        ) { nil }
        buffer.end(.success(result))
        buffer.report(received: 3, total: 3)
        #expect(try await buffer.next().map(Kind.init) == .result(.disk))
        #expect(try await buffer.next() == nil)
    }

    @Test func `a load as a sequence passes previews on amid fast progress, and the reverse`() async throws {
        let (buffer, other, both) = (LoadSequenceBuffer(), LoadSequenceBuffer(), LoadSequenceBuffer())
        let image = try Image(bitmap: Sample.bitmap(1, 1))
        var (kinds, others, mixed): ([Kind], [Kind], [Kind]) = ([], [], [])
        for step in 1...4 {
            both.report(received: Int64(step), total: 9)
            both.show(image)
            mixed.append(Kind(try #require(try await both.next())))
            buffer.report(received: Int64(step), total: 9)
            if step == 1 { buffer.show(image) }
            kinds.append(Kind(try #require(try await buffer.next())))
            other.show(image)
            if step == 1 { other.report(received: 1, total: 9) }
            others.append(Kind(try #require(try await other.next())))
        }
        #expect(kinds == [.progress(1, 9), .preview(1), .progress(3, 9), .progress(4, 9)])
        #expect(others == [.preview(1), .progress(1, 9), .preview(1), .preview(1)])
        #expect(mixed == [.progress(1, 9), .preview(1), .progress(3, 9), .preview(1)])
    }
}
