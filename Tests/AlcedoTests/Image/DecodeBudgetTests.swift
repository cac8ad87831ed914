import AlcedoLocks
import AlcedoTestSupport
import Foundation
import Glibc
import Testing

@testable import Alcedo
@testable import EngineFixtures

@Suite(.timeLimit(.minutes(10))) struct `A budget for decoding` {
    let budget = DecodeBudget(bytes: 100)

    /// What is spent at the moment, and the most that ever was.
    private struct Spending {
        var costs: [Int] = []
        var mistakes: [[Int]] = []

        mutating func begin(_ cost: Int, of bytes: Int) {
            costs.append(cost)
            if costs.count > 1, costs.reduce(0, +) > bytes { mistakes.append(costs) }
        }

        mutating func end(_ cost: Int) { costs.firstIndex(of: cost).map { _ = costs.remove(at: $0) } }
    }

    @Test func `a decode budget lets in together what fits`() async {
        let gate = Gate()
        for cost in [60, 40] {
            Thread.detachNewThread { [budget] in budget.withReservation(of: cost) { gate.wait() } }
        }
        await gate.waitForArrivals(2)
        gate.open()
    }

    @Test func `a decode budget is only overspent by what is too large for it, and then alone`() async {
        let spending = Lock(Spending())
        let done = Recorder<Int>()
        for number in 0..<16 {
            Thread.detachNewThread { [budget] in
                for turn in 0..<100 {
                    let cost = (number * 31 + turn * 17) % 130 + 1
                    budget.withReservation(of: cost) {
                        spending.withLock { $0.begin(cost, of: 100) }
                        sched_yield()
                        spending.withLock { $0.end(cost) }
                    }
                }
                done.append(number)
            }
        }
        await done.waitFor(count: 16)
        #expect(spending.withLock { $0.mistakes } == [])
    }

    @Test func `a picture within a picture does not wait for the decode budget of the outer one`() async {
        let done = Recorder<Int>()
        Thread.detachNewThread { [budget] in
            done.append(budget.withReservation(of: 80) { budget.withReservation(of: 80) { 1 } })
            done.append(budget.withReservation(of: 100) { 2 })
        }
        #expect(await done.waitFor(count: 2) == [1, 2])
    }

    @Test func `a decode that fails gives back what it has spent of the budget`() {
        for _ in 0..<3 {
            #expect(throws: CodecError.self) {
                try budget.withReservation(of: 80) { () throws(CodecError) in throw .unknownFormat }
            }
        }
    }

    @Test func `a decode budget that grows lets in those who wait`() async {
        let (gate, started) = (Gate(), Recorder<Int>())
        for number in 0..<2 {
            Thread.detachNewThread { [budget] in
                budget.withReservation(of: 80) {
                    started.append(number)
                    gate.wait()
                }
            }
        }
        await started.waitFor(count: 1)
        budget.bytes = 160
        await gate.waitForArrivals(2)
        gate.open()
    }

    @Test func `images are decoded within the decode budget of their options`() async throws {
        // Not in the shared budget, in which others would wait behind these images.
        let (codec, codecs) = (Counting(budget: budget), CodecRegistry())
        codecs.register(codec)
        let options = KingfisherParsedOptionsInfo([.codecs(codecs), .decodeBudget(budget)])
        let done = Recorder<Bool>()
        for _ in 0..<8 {
            Thread.detachNewThread {
                let item = ImageProcessItem.data(Data("COUNTING".utf8))
                let image = DefaultImageProcessor.default.process(item: item, options: options)
                done.append((try? image?.bitmap()) != nil)
            }
        }
        #expect(await done.waitFor(count: 8) == Array(repeating: true, count: 8))
        #expect(codec.most.count.withLock { $0.most } == 1)
        #expect(KingfisherParsedOptionsInfo(nil).decodeResources.budget === DecodeBudget.shared)
    }

    @Test func `a picture that a test holds leaves the decode budget to others`() async {
        let (codec, codecs) = (HeldCodec(name: UUID().uuidString), CodecRegistry())
        codecs.register(codec)
        let options = KingfisherParsedOptionsInfo([.codecs(codecs), .decodeBudget(budget)])
        Thread.detachNewThread {
            let item = ImageProcessItem.data(Data(codec.bytes))
            _ = try? DefaultImageProcessor.default.process(item: item, options: options)?.bitmap()
        }
        await codec.gate.waitForArrivals(1)
        let done = CallCounter()
        Thread.detachNewThread { [budget] in
            budget.withReservation(of: budget.bytes + 1) { _ = done.increment() }
        }
        while done.value == 0, budget.waitingCount == 0 { await Task.yield() }
        #expect(budget.waitingCount == 0)
        codec.gate.open()
        await done.waitFor(1)
    }
}

private final class Counts: Sendable {
    let count = Lock((now: 0, most: 0))
}

/// Counts how many decode at once.
private struct Counting: ImageCodec {
    let most = Counts()
    let budget: DecodeBudget
    private let size = PixelSize(width: 2, height: 2)

    func format(of bytes: RawSpan) -> EncodedFormat? {
        let isOurs = bytes.withUnsafeBytes { $0.starts(with: Array("COUNTING".utf8)) }
        return isOurs ? EncodedFormat(rawValue: "counting") : nil
    }

    func info(of bytes: RawSpan, limits: DecodeLimits) throws(CodecError) -> ImageInfo {
        ImageInfo(format: EncodedFormat(rawValue: "counting"), size: size, frameCount: 1, loopCount: 1)
    }

    /// More than there is, so that it is decoded alone.
    func memory(of bytes: RawSpan, info: ImageInfo, options: DecodeOptions) -> DecodeMemory {
        DecodeMemory(result: budget.bytes + 1)
    }

    func decode(_ bytes: RawSpan, options: DecodeOptions) throws(CodecError) -> Bitmap {
        most.count.withLock { count in
            count.now += 1
            count.most = max(count.most, count.now)
        }
        sched_yield()
        most.count.withLock { $0.now -= 1 }
        return try PixelBuilder(size: size, alpha: .opaque).freeze()
    }
}
