import AlcedoPixels
import AlcedoTestSupport
import Testing

@testable import AlcedoCodecs

struct `A JPEG that is decoded to a part of its size` {
    private let codec = JPEGCodec()

    @Test(
        arguments: ["sampling-444", "sampling-422", "sampling-440", "sampling-420", "restart", "grey"],
        [1, 2])
    func `a reduced JPEG looks like the average of the whole`(_ name: String, eighths: Int) throws {
        let bytes = try Fixture.data("made/\(name).jpg")
        let whole = try codec.decode(bytes.span.bytes, options: DecodeOptions())
        let small = try #require(reduced(bytes, eighths: eighths))
        // Chroma is made smooth in the whole picture before it is averaged.
        #expect(meanDifference(small, averages(whole, 8 / eighths)) < 2)
    }

    @Test(arguments: [1, 2]) func `a reduced JPEG may be larger than what is read at a time`(eighths: Int)
        throws
    {
        var random: UInt32 = 1
        let noise = try Bitmap.make(1400, 900) { _, _ in
            random = random &* 1_664_525 &+ 1_013_904_223
            return 0xFF40_4040 | random >> 1 & 0x7F7F7F
        }
        let bytes = try codec.encode(noise, as: .jpeg) { $0.quality = 1 }
        #expect(bytes.count > 1 << 20)
        let whole = try codec.decode(bytes.span.bytes, options: DecodeOptions())
        let small = try #require(reduced(bytes, eighths: eighths))
        #expect(meanDifference(small, averages(whole, 8 / eighths)) < (eighths == 1 ? 1 : 12))
    }

    @Test func `a reduced JPEG has exactly the averages of grey blocks`() throws {
        let bytes = try Fixture.data("made/grey.jpg")
        let whole = try codec.decode(bytes.span.bytes, options: DecodeOptions())
        let small = try #require(reduced(bytes, eighths: 1))
        let whole8 = averages(whole, 8)
        let exact = averages(small, 1)
        for y in whole8.indices {
            for x in whole8[y].indices { #expect(abs(whole8[y][x][0] - exact[y][x][0]) <= 1) }
        }
    }

    @Test(arguments: [1, 7, 8, 9, 24]) func `a reduced JPEG has the colours of its luma and chroma`(
        count: Int
    ) {
        let levels = Array(stride(from: UInt8(0), through: 255, by: 15))
        var pixels = [UInt32](repeating: 0, count: count + 1)
        for blue in levels + [127, 128, 129] {
            for red in levels + [127, 128, 129] {
                let luma = (0..<count).map { UInt8(truncatingIfNeeded: Int(blue) * 7 + $0 * 97) }
                let (blues, reds) = (
                    [UInt8](repeating: blue, count: count), Array(repeating: red, count: count)
                )
                YCbCr.convert(luma, blues, reds, to: &pixels, count: count)
                for (light, pixel) in zip(luma, pixels) {
                    let (y, b, r) = (Double(light), Double(blue) - 128, Double(red) - 128)
                    let exact = [y + 1.772 * b, y - 0.344136 * b - 0.714136 * r, y + 1.402 * r]
                    for (channel, value) in exact.enumerated() {
                        let got = Double(pixel >> (8 * UInt32(channel)) & 0xFF)
                        #expect(abs(got - min(max(value, 0), 255)) < 0.57)
                    }
                    #expect(pixel >> 24 == 255)
                    if blue == 128, red == 128 { #expect(pixel == 0xFF00_0000 | UInt32(light) * 0x10101) }
                }
            }
        }
        #expect(pixels[count] == 0, "beyond the end")
    }

    @Test(arguments: ["progressive", "sampling-411", "cmyk", "scans-arithmetic", "odd-1x1"])
    func `a reduced JPEG is left to libjpeg if it is not of the common kind`(_ name: String) throws {
        let bytes = try Fixture.data("made/\(name).jpg")
        #expect(name == "odd-1x1" || reduced(bytes, eighths: 1) == nil)
        let small = try codec.decode(
            bytes.span.bytes, options: DecodeOptions { $0.atLeast = PixelSize(width: 1, height: 1) })
        let whole = try codec.decode(bytes.span.bytes, options: DecodeOptions())
        #expect(small.width == (whole.width + 7) / 8)
    }

    @Test(arguments: ["restart", "sampling-420"])
    func `a reduced JPEG is left to libjpeg if a byte is missing`(_ name: String) throws {
        let bytes = try Fixture.data("made/\(name).jpg")
        let last = bytes.count - 2
        for count in Array(stride(from: 0, to: last - 60, by: 5)) + Array(last - 60..<last) {
            #expect(reduced(Array(bytes[..<count]), eighths: 1) == nil, "\(count) bytes")
        }
        // The end marker is no part of the picture.
        for count in bytes.count - 2...bytes.count {
            #expect(reduced(Array(bytes[..<count]), eighths: 1) != nil)
        }
    }

    @Test func `a reduced JPEG is left to libjpeg if it has more tables than it can need`() throws {
        let bytes = try Fixture.data("made/grey.jpg")
        let start = try #require(
            bytes.indices.dropLast().first { bytes[$0] == 0xFF && bytes[$0 + 1] == 0xC4 })
        let length = Int(bytes[start + 2]) << 8 | Int(bytes[start + 3])
        let tables = bytes[start..<start + 2 + length]
        func repeated(_ count: Int) -> [UInt8] {
            let copies = Array(repeatElement(tables, count: count).joined())
            return Array(bytes[..<start]) + copies + Array(bytes[start...])
        }
        #expect(reduced(repeated(3), eighths: 1) != nil)
        #expect(reduced(repeated(2000), eighths: 1) == nil)
    }

    @Test func `a reduced JPEG is left to libjpeg if its restart markers are out of order`() throws {
        var bytes = try Fixture.data("made/restart.jpg")
        let second = try #require(
            bytes.indices.dropLast().first { bytes[$0] == 0xFF && bytes[$0 + 1] == 0xD1 })
        bytes[second + 1] = 0xD2
        #expect(reduced(bytes, eighths: 1) == nil)
    }

    @Test(arguments: ["restart", "sampling-420", "sampling-444", "grey"])
    func `a reduced JPEG is a picture or none whatever its bytes are`(_ name: String) throws {
        let bytes = try Fixture.data("made/\(name).jpg")
        for (number, damaged) in Damage.flips(of: bytes, count: 250).enumerated() {
            _ = reduced(damaged, eighths: 1 + number % 2)
        }
    }

    /// The averages of as many whole squares of `side` pixels as there are, row by row: blue, green and red.
    private func averages(_ bitmap: Bitmap, _ side: Int) -> [[SIMD3<Double>]] {
        let bytes = bitmap.bgra
        return (0..<bitmap.height / side).map { row in
            (0..<bitmap.width / side).map { column in
                var sum = SIMD3<Double>()
                for y in row * side..<(row + 1) * side {
                    for x in column * side..<(column + 1) * side {
                        let offset = (y * bitmap.width + x) * 4
                        sum += SIMD3(
                            Double(bytes[offset]), Double(bytes[offset + 1]), Double(bytes[offset + 2]))
                    }
                }
                return sum / Double(side * side)
            }
        }
    }

    /// The mean error of a channel.
    private func meanDifference(_ bitmap: Bitmap, _ expected: [[SIMD3<Double>]]) -> Double {
        let pixels = averages(bitmap, 1)
        var (sum, count) = (0.0, 0)
        for (row, line) in zip(pixels, expected) {
            for (pixel, wanted) in zip(row, line) {
                let difference = pixel - wanted
                sum += abs(difference.x) + abs(difference.y) + abs(difference.z)
                count += 3
            }
        }
        return count == 0 ? .infinity : sum / Double(count)
    }

    /// What ``ReducedJPEG`` makes of it, without libjpeg behind it.
    private func reduced(_ bytes: [UInt8], eighths: Int) -> Bitmap? {
        bytes.withUnsafeBytes { bytes in
            guard var jpeg = ReducedJPEG(bytes, eighths: eighths), jpeg.size.area < 1 << 22 else {
                return nil
            }
            let size = PixelSize(
                width: (jpeg.size.width * eighths + 7) / 8, height: (jpeg.size.height * eighths + 7) / 8)
            guard var pixels = try? PixelBuilder(size: size, alpha: .opaque) else { return nil }
            let isDone = pixels.withUnsafeMutableBytes { jpeg.decode(to: PixelRows($0, size), until: .never) }
            return isDone ? pixels.freeze() : nil
        }
    }
}
