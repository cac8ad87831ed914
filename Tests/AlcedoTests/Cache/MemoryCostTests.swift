import AlcedoPixels
import AlcedoTestSupport
import Foundation
import Synchronization
import Testing

@testable import Alcedo
@testable import EngineFixtures

@Suite(.timeLimit(.minutes(10)))
struct `The memory that an image is charged` {
    let png: Data
    private let pixels = 30 * 20 * 4

    init() throws { png = Data(try Sample.png(30, 20)) }

    private func storage(limit: Int = 1 << 20) -> MemoryStorage.Backend<Image> {
        MemoryStorage.Backend(config: .init(totalCostLimit: limit, cleanInterval: 0))
    }

    private func image() throws -> Image { try Image(decoding: png) }

    @Test func `an image costs its bytes until it is decoded, and then its pixels too`() throws {
        let image = try image()
        #expect(image.cacheCost == png.count)
        _ = image.kf.decoded
        #expect(image.cacheCost == png.count + pixels)
    }

    @Test func `an image costs only the few pixels that a small view needs`() throws {
        let image = try image()
        _ = try image.decodedPixels(drawnAt: PixelSize(width: 15, height: 10))
        #expect(image.cacheCost == png.count + 15 * 10 * 4)
        _ = try image.decodedPixels(drawnAt: PixelSize(width: 3, height: 2))
        #expect(image.cacheCost == png.count + 3 * 2 * 4)
        _ = try image.bitmap()
        #expect(image.cacheCost == png.count + pixels, "the few go once there are all")
    }

    @Test func `an image whose pixels have been turned is not charged for them twice`() throws {
        let image = Image(bitmap: try Sample.bitmap(30, 20), orientation: .right, scale: 1)
        #expect(image.cacheCost == pixels)
        #expect(try image.bitmap().size == PixelSize(width: 20, height: 30))
        #expect(image.cacheCost == pixels)
    }

    @Test func `an animated image costs the frames that are there`() throws {
        let data = Data(try Fixture.data("gif/fire.gif"))
        let shown = try Image.make(of: data, options: ImageCreatingOptions())
        #expect(shown.cacheCost == data.count)
        let all = try Image.make(of: data, options: ImageCreatingOptions(preloadAll: true))
        let frames = Set(try #require(all.images).map { ObjectIdentifier($0.store) }).count
        #expect(all.cacheCost == data.count + frames * all.pixelSize.area * 4)
        let (one, two) = (try image(), try image())
        let made = try #require(Image.animatedImage(with: [one, two, one], duration: 1))
        #expect(made.cacheCost == 2 * png.count)
        _ = try two.bitmap()
        #expect(made.cacheCost == 2 * png.count + pixels)
    }

    @Test func `an image's cost follows its decoding in each storage that has the image`() throws {
        let (first, second) = (storage(), storage())
        let image = try image()
        first.store(value: image, forKey: "a")
        first.store(value: image.kf.scaled(to: 2), forKey: "b")
        second.store(value: image, forKey: "a")
        #expect(first.totalCacheCost() == 2 * png.count && second.totalCacheCost() == png.count)
        _ = try image.bitmap()
        #expect(first.totalCacheCost() == 2 * (png.count + pixels))
        #expect(second.totalCacheCost() == png.count + pixels)
        first.remove(forKey: "a")
        #expect(first.totalCacheCost() == png.count + pixels)
        first.removeAll()
        #expect(first.totalCacheCost() == 0)
    }

    @Test func `an animation's cost follows its frames`() throws {
        let (storage, frame) = (storage(), try image())
        let other = try image()
        storage.store(
            value: try #require(Image.animatedImage(with: [other, frame], duration: 1)), forKey: "a")
        storage.store(value: frame, forKey: "b")
        _ = try frame.bitmap()
        #expect(storage.totalCacheCost() == 3 * png.count + 2 * pixels)
    }

    @Test func `a memory limit holds when images are decoded after they were stored`() throws {
        let storage = storage(limit: 3 * png.count + 2 * pixels)
        let images = try (0..<3).map { _ in try image() }
        for (number, image) in images.enumerated() { storage.store(value: image, forKey: "\(number)") }
        for image in images.reversed() {
            _ = try image.decodedPixels(drawnAt: nil)
            #expect(storage.totalCacheCost() <= 3 * png.count + 2 * pixels)
        }
        #expect((0..<3).map { storage.isCached(forKey: "\($0)") } == [false, true, true])
    }

    @Test func `an image that is too large once it is decoded leaves memory, and no other does`() throws {
        let storage = storage(limit: png.count * 3)
        let images = try (0..<2).map { _ in try image() }
        for (number, image) in images.enumerated() { storage.store(value: image, forKey: "\(number)") }
        _ = try images[1].bitmap()
        #expect((0..<2).map { storage.isCached(forKey: "\($0)") } == [true, false])
        #expect(storage.totalCacheCost() == png.count)
    }

    @Test func `an image that has left memory, or was replaced, costs nothing when decoded`() throws {
        let storage = storage()
        let (gone, replaced) = (try image(), try image())
        storage.store(value: gone, forKey: "a")
        storage.remove(forKey: "a")
        storage.store(value: replaced, forKey: "b")
        storage.store(value: Image(bitmap: try Sample.bitmap(4, 4)), forKey: "b")
        for image in [gone, replaced] { _ = try image.bitmap() }
        #expect(storage.totalCacheCost() == 4 * 4 * 4)
    }

    @Test func `an image that comes and goes under many keys keeps few observers of its cost`() throws {
        let (storage, image) = (storage(), try image())
        for number in 0..<1000 {
            storage.store(value: image, forKey: "\(number)")
            storage.store(value: image, forKey: "kept \(number % 20)")
            storage.remove(forKey: "\(number)")
        }
        #expect(image.store.costObserverCount < 100)
        _ = try image.bitmap()
        #expect(storage.totalCacheCost() == 20 * (png.count + pixels))
    }

    @Test
    func `an image's cost is reported to one storage while another one stores, without a race`() throws {
        let (storage, other, image) = (storage(), storage(), try image())
        for number in 0..<3 { storage.store(value: image, forKey: "\(number)") }
        let group = DispatchGroup()
        // Relaxed, so that the locks alone tell the thread sanitizer an order (decision 0009).
        let step = RelaxedStep()
        for own in 0..<2 {
            group.enter()
            Thread.detachNewThread {
                step.wait(for: own)
                if own == 0 {
                    image.store.notifyCostObservers()
                } else {
                    other.store(value: image, forKey: "3")
                }
                step.end(own)
                group.leave()
            }
        }
        group.wait()
        #expect(storage.totalCacheCost() == 3 * png.count && other.totalCacheCost() == png.count)
    }

    private final class RelaxedStep: Sendable {
        private let step = Atomic(0)

        func wait(for number: Int) { while step.load(ordering: .relaxed) != number { sched_yield() } }
        func end(_ number: Int) { step.store(number + 1, ordering: .relaxed) }
    }

    @Test func `following an image's cost keeps neither a storage nor its values alive`() throws {
        let image = try image()
        var storage: MemoryStorage.Backend<Image>? = storage()
        var value: Image? = try self.image()
        weak let gone = storage
        weak let store = value?.store
        storage?.store(value: image, forKey: "a")
        storage?.store(value: try #require(value), forKey: "b")
        value = nil
        #expect(gone != nil && store != nil)
        storage = nil
        #expect(gone == nil && store == nil)
        _ = try image.bitmap()
    }

    @Test
    func `the cost of a memory storage is right after threads decode, store, remove and read`() async throws {
        let (storage, done) = (storage(limit: 40 * pixels), Recorder<Int>())
        let images = try (0..<200).map { _ in try image() }
        for thread in 0..<4 {
            Thread.detachNewThread {
                for (number, image) in images.enumerated() {
                    let key = "\(number % 90)"
                    switch (number + thread) % 4 {
                    case 0: _ = try? image.bitmap()
                    case 1: storage.remove(forKey: key)
                    default: storage.store(value: image, forKey: key)
                    }
                    _ = storage.value(forKey: key)
                }
                done.append(thread)
            }
        }
        await done.waitFor(count: 4)
        #expect(storage.totalCacheCost() <= 40 * pixels)
        let left = (0..<90).compactMap { storage.value(forKey: "\($0)") }
        #expect(!left.isEmpty)
        #expect(storage.totalCacheCost() == left.reduce(0) { $0 + $1.cacheCost })
    }
}
