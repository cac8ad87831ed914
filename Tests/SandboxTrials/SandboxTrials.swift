import Alcedo
import Foundation

/// What decoding in worker processes costs: `SandboxTrials [COUNT]`, in a release build; and `SandboxTrials libraries`.
///
/// Prints images a second in this process and in two workers, with as many threads, and what the first image takes.
@main
enum SandboxTrials {
    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        if arguments.first == "libraries" {
            return try await LoadedLibraries(Array(arguments.dropFirst())).report()
        }
        let count = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 2000
        let photograph = try picture(width: 1732, height: 1155)
        let icon = try picture(width: 128, height: 128)
        let clock = ContinuousClock()
        print("cold start: \(clock.measure { _ = try? DecodeSandbox.start(.common) })")
        print("level: \(DecodeSandbox.level(of: .common).map { "\($0)" } ?? "none")")
        for helper in DecodeSandbox.Program.allCases { _ = try? DecodeSandbox.start(helper) }
        let first = try clock.measure { try decode(photograph, nil, .preferred) }
        let here = try clock.measure { try decode(photograph, nil, .off) }
        print("first image, pool warm: \(first); here: \(here)")
        compare("thumbnails of 2 megapixels", photograph, CGSize(width: 256, height: 256), count / 4)
        compare("JPEG icons of 128 pixels", icon, nil, count * 4)
        compare("PNG icons of 128 pixels", try Image(decoding: icon).data(as: .png), nil, count * 4)
        compare("photographs of 2 megapixels", photograph, nil, count / 8)
    }

    private static func picture(width: Int, height: Int) throws -> Data {
        var seed: UInt32 = 1
        var pixels = try PixelBuilder(size: PixelSize(width: width, height: height), alpha: .opaque)
        pixels.withUnsafeMutableBytes { bytes in
            for index in bytes.indices {
                // Gradients, edges and some noise, which compress as photographs do.
                seed = seed &* 1_664_525 &+ 1_013_904_223
                let (x, y) = (index / 4 % width, index / 4 / width)
                let shade = (x &* 3 &+ y &* 5) / 7 &+ (x / 40 &* 37 ^ y / 30 &* 53) &+ Int(seed >> 28)
                bytes[index] = index % 4 == 3 ? 255 : UInt8(truncatingIfNeeded: shade &+ index % 4 &* 40)
            }
        }
        return try Image(bitmap: pixels.freeze()).data(as: .jpeg)
    }

    private static func decode(_ data: Data, _ size: CGSize?, _ isolation: DecodeSandbox) throws {
        let options = KingfisherParsedOptionsInfo([.decodeSandbox(isolation)])
        let processor: any ImageProcessor =
            if let size { DownsamplingImageProcessor(size: size) } else { DefaultImageProcessor.default }
        guard let image = processor.process(item: .data(data), options: options) else {
            throw CodecError.unknownFormat
        }
        _ = try image.bitmap()
    }

    /// Best of five rounds in turn, as other programs run too.
    private static func compare(_ name: String, _ data: Data, _ size: CGSize?, _ count: Int) {
        var best: [DecodeSandbox: Double] = [:]
        for _ in 0..<5 {
            for isolation in [DecodeSandbox.off, .preferred] {
                let rate = rate(data, size, isolation, count)
                best[isolation] = max(best[isolation] ?? 0, rate)
            }
        }
        let (here, there) = (best[.off] ?? 0, best[.preferred] ?? 0)
        let rates = "\(Int(here)) a second here, \(Int(there)) isolated, \(there / here)"
        print("\(name), \(data.count) bytes: \(rates)")
    }

    private static func rate(
        _ data: Data, _ size: CGSize?, _ isolation: DecodeSandbox, _ count: Int
    ) -> Double {
        let time = ContinuousClock().measure {
            DispatchQueue.concurrentPerform(iterations: 2) { _ in
                for _ in 0..<count / 2 { try? decode(data, size, isolation) }
            }
        }
        let seconds: Double = time / .seconds(1)
        return Double(count) / seconds
    }
}
