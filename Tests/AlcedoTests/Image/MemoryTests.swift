import AlcedoCodecs
import AlcedoPixels
import AlcedoTestSupport
import Foundation
import Glibc
import Testing

@testable import Alcedo
@testable import EngineFixtures

/// Each in a process of its own, whose memory nobody else takes.
@Suite(.timeLimit(.minutes(10)))
struct `The memory that a small file takes` {
    @Test func `a small file takes little memory where its header promises much`() async {
        await #expect(processExitsWith: .success) { try Small.headers() }
    }

    @Test func `a small file takes little memory whatever its metadata unpacks to`() async {
        await #expect(processExitsWith: .success) { try Small.metadata() }
    }

    @Test func `a drawing that asks for gigabytes takes little memory`() async {
        await #expect(processExitsWith: .success) { Small.drawings() }
    }

    @Test func `an animation takes the memory of a few canvases for any number of frames`() async {
        await #expect(processExitsWith: .success) { Small.frames() }
    }

    @Test func `a part of a giant photograph takes the memory of a part`() async {
        await #expect(processExitsWith: .success) { try Small.part() }
    }

    @Test func `many animations that are decoded whole stay within the memory budget`() async {
        await #expect(processExitsWith: .success) { Small.animations() }
    }

    @Test func `many images that are decoded at once stay within the memory budget`() async {
        await #expect(processExitsWith: .success) { Small.crowd() }
    }
}

/// What the processes do.
private enum Small {
    /// The whole picture would take 960 MB.
    static func part() throws {
        let reader = try ImageRegionReader(`A giant photograph`.jpeg(20_000, 12_000))
        let growth = Memory.growth {
            let part = CGRect(x: 18_080, y: 10_920, width: 1_920, height: 1_080)
            if (try? reader.decode(part)) == nil { Memory.fail("the part is not decoded") }
        }
        Memory.check(growth, below: 32 << 20)
    }

    static func headers() throws {
        let files =
            try [
                Bombs.png(side: 30_000), Bombs.jpeg(side: 65_500), Bombs.gif(side: 65_535),
                Bombs.webp(side: 16_383, frames: 1000),
            ] + Bombs.avif(side: 17_000) + Bombs.jxl(side: 1 << 29) + Bombs.tiff(side: 60_000)
            + Bombs.jp2(side: 1 << 30)
        for bytes in files {
            let growth = Memory.growth {
                for question in Bombs.questions { check(question, of: bytes) }
            }
            Memory.check(growth, below: 32 << 20)
        }
    }

    private static func check(_ question: ([UInt8]) throws -> Void, of bytes: [UInt8]) {
        do {
            try question(bytes)
            Memory.fail("\(bytes.prefix(12)) is allowed")
        } catch {
            guard case CodecError.limitExceeded(.pixels, _, _) = error else {
                Memory.fail("\(bytes.prefix(12)): \(error)")
            }
        }
    }

    static func metadata() throws {
        let png = try Sample.png(4, 4)
        let floods = [
            Bombs.chunk("zTXt", Array("Comment".utf8) + [0, 0] + Bombs.deflated(zeros: 64 << 20)),
            Bombs.chunk("iCCP", Array("profile".utf8) + [0, 0] + Bombs.deflated(zeros: 256 << 20)),
            (0..<100_000).flatMap { Bombs.chunk("tEXt", Array("Comment\0\($0)".utf8)) },
            // A directory of 65,535 entries that is its own successor.
            Bombs.chunk("eXIf", Array("II*\0".utf8) + [8, 0, 0, 0, 255, 255, 0, 0, 8, 0, 0, 0]),
        ]
        for flood in floods {
            let bytes = Array(png[..<33]) + flood + Array(png[33...])
            let growth = Memory.growth {
                _ = try? codecs.info(of: bytes.span.bytes)
                _ = codecs.profile(of: bytes.span.bytes)
                _ = try? codecs.decode(bytes.span.bytes)
            }
            Memory.check(growth, below: 64 << 20)
        }
    }

    /// Each took one to four gigabytes.
    static func drawings() {
        let tile = "<pattern id='p' patternUnits='userSpaceOnUse' width='32000' height='32000'/>"
        let drawings = [
            (100, tile + "<rect width='100' height='100' fill='url(#p)'/>"),
            (100, "<path d='M0 0H10000000' stroke='red' stroke-dasharray='1 1'/>"),
            (
                7000,
                String(repeating: "<g opacity='.9'>", count: 90) + "<rect width='7000' height='7000'/>"
                    + String(repeating: "</g>", count: 90)
            ),
        ]
        for (side, content) in drawings {
            let text =
                "<svg xmlns='http://www.w3.org/2000/svg' width='\(side)' height='\(side)'>\(content)</svg>"
            let bytes = Array(text.utf8)
            let growth = Memory.growth {
                if (try? codecs.decode(bytes.span.bytes)) != nil {
                    Memory.fail("\(content.prefix(99)) is drawn")
                }
            }
            Memory.check(growth, below: 16 << 20)
        }
    }

    static func frames() {
        let bytes = Bombs.animation(side: 4000, frames: 20_000)
        let info = try? codecs.info(of: bytes.span.bytes)
        if info?.frameCount != 20_000 || (try? codecs.frames(of: bytes.span.bytes)) != nil {
            Memory.fail("allowed")
        }
        let growth = Memory.growth {
            let options = DecodeOptions {
                $0.limits.frames = 20_000
                $0.limits.pixelsPerAnimation = .max
            }
            guard let decoder = try? codecs.frames(of: bytes.span.bytes, options: options) else {
                Memory.fail("no frames")
            }
            // Three times as many as are allowed to stay.
            for _ in 0..<12 {
                guard (try? decoder.next()) != nil else { Memory.fail("no frame") }
            }
        }
        Memory.check(growth, below: 4 * 4000 * 4000 * 4)
    }

    /// 16 of 64 MB each, on as many threads, two of them at a time; and one that is more than the whole budget.
    static func animations() {
        let bytes = Data(Bombs.animation(side: 1024, frames: 16))
        DecodeBudget.shared.bytes = 2 * 16 * 1024 * 1024 * 4
        let decoded = CallCounter()
        let growth = Memory.growth {
            let group = DispatchGroup()
            for _ in 0..<16 {
                group.enter()
                Thread.detachNewThread {
                    let image = try? Image.make(of: bytes, options: ImageCreatingOptions(preloadAll: true))
                    if image?.images?.count == 16 { decoded.increment() }
                    group.leave()
                }
            }
            group.wait()
        }
        if decoded.value != 16 { Memory.fail("\(decoded.value) decoded") }
        Memory.check(growth, below: DecodeBudget.shared.bytes + 96 << 20)
        DecodeBudget.shared.bytes /= 4
        let image = try? Image.make(of: bytes, options: ImageCreatingOptions(preloadAll: true))
        if image == nil || image?.images != nil { Memory.fail("decoded whole") }
    }

    /// 16 that count for 72 MB each, on as many threads, two of them at a time.
    static func crowd() {
        let bytes = Data(Bombs.png(side: 3000))
        DecodeBudget.shared.bytes = 4 * 3000 * 3000 * 4
        let decoded = CallCounter()
        let growth = Memory.growth {
            let group = DispatchGroup()
            for _ in 0..<16 {
                group.enter()
                Thread.detachNewThread {
                    if (try? EncodedImage(bytes, limits: .init()).decode())?.size.width == 3000 {
                        decoded.increment()
                    }
                    group.leave()
                }
            }
            group.wait()
        }
        if decoded.value != 16 { Memory.fail("\(decoded.value) decoded") }
        // The pages of the last 64 MB stay for a second, and each thread has a few of its own.
        Memory.check(growth, below: DecodeBudget.shared.bytes + 96 << 20)
    }
}
