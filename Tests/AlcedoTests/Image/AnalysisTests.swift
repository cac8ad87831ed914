import AlcedoCodecs
import AlcedoPixels
import AlcedoTestSupport
import EngineFixtures
import Foundation
import Testing

@testable import Alcedo

struct `Analysing images` {
    private func drawn(
        _ width: Int, _ height: Int, alpha: Bitmap.Alpha = .opaque, _ color: (Int, Int) -> [UInt8]
    ) throws -> Bitmap {
        var builder = try PixelBuilder(size: PixelSize(width: width, height: height), alpha: alpha)
        builder.withUnsafeMutableBytes { bytes in
            for index in 0..<width * height {
                for (channel, value) in color(index % width, index / width).enumerated() {
                    bytes[index * 4 + channel] = value
                }
            }
        }
        return builder.freeze()
    }

    // MARK: - Colours

    @Test func `a palette has the colours by their area`() throws {
        // Blue, green, red, alpha: half red, three tenths blue, a fifth white.
        let image = Image(
            bitmap: try drawn(100, 50) { x, _ in
                x < 50 ? [20, 30, 220, 255] : x < 80 ? [200, 60, 10, 255] : [255, 255, 255, 255]
            })
        let palette = try image.palette()
        #expect(palette.count == 3)
        for (color, expected) in zip(palette, [(220, 30, 20, 0.5), (10, 60, 200, 0.3), (255, 255, 255, 0.2)])
        {
            #expect(abs(color.color.red * 255 - CGFloat(expected.0)) < 1)
            #expect(abs(color.color.green * 255 - CGFloat(expected.1)) < 1)
            #expect(abs(color.color.blue * 255 - CGFloat(expected.2)) < 1)
            #expect(abs(color.share - expected.3) < 0.001)
        }
        #expect(try image.dominantColor() == palette[0].color)
        #expect(try image.palette(count: 2).count == 2 && image.palette(count: 0).count == 1)
    }

    @Test func `opacity counts in a palette, and a clear image has none`() throws {
        let clear = Image(bitmap: try drawn(8, 8, alpha: .premultiplied) { _, _ in [0, 0, 0, 0] })
        #expect(try clear.palette().isEmpty && clear.dominantColor() == nil)
        // Three quarters are clear, an eighth each is green and half-transparent red.
        let image = Image(
            bitmap: try drawn(64, 64, alpha: .premultiplied) { x, _ in
                x < 48 ? [0, 0, 0, 0] : x < 56 ? [0, 200, 0, 255] : [0, 0, 100, 128]
            })
        let palette = try image.palette()
        #expect(palette.count == 2 && abs(palette[0].share - 2.0 / 3) < 0.01)
        #expect(palette[0].color.green > 0.75 && abs(palette[1].color.red - 200.0 / 255) < 0.01)
    }

    @Test func `a photograph has as many colours as are wanted, whose shares are all of it`() throws {
        let image = try Image(decoding: Data(Fixture.data("jpeg/testorig.jpg")))
        for count in [1, 5, 16] {
            let palette = try image.palette(count: count)
            #expect(palette.count == count)
            #expect(abs(palette.reduce(0) { $0 + $1.share } - 1) < 1e-9)
            #expect(palette.map(\.share) == palette.map(\.share).sorted(by: >))
        }
        #expect(try image.palette() == image.palette())
    }

    // MARK: - Hashes

    @Test func `copies of an image have nearly the same hash, and other images do not`() throws {
        let original = try Image(decoding: Data(Fixture.data("exif-orientation/Landscape_1.jpg")))
        let hash = try original.perceptualHash()
        let small = original.kf.resize(to: CGSize(width: 150, height: 100))
        let poor = try Image(decoding: small.data(as: .jpeg, options: EncodeOptions(quality: 0.2)))
        let deep = try Image(decoding: original.data(as: .png))
        let bright = original.kf.adjusted(brightness: 0.1, contrast: 1, saturation: 0, inputEV: 0)
        for copy in [small, poor, deep, bright] {
            #expect(try copy.perceptualHash().distance(to: hash) <= 6)
        }
        // The same picture that is stored in another orientation.
        let turned = try Image(decoding: Data(Fixture.data("exif-orientation/Landscape_6.jpg")))
        #expect(try turned.perceptualHash().distance(to: hash) <= 10)
        for name in ["jpeg/testorig.jpg", "exif-orientation/Portrait_1.jpg", "made/scalable.jpg"] {
            let other = try Image(decoding: Data(Fixture.data(name)))
            #expect(try other.perceptualHash().distance(to: hash) > 16, "\(name)")
        }
    }

    @Test func `a perceptual hash is 16 digits, also in JSON`() throws {
        let hash = PerceptualHash(bits: 0x00F0_1234_5678_9ABC)
        #expect(hash.description == "00f0123456789abc" && PerceptualHash("00F0123456789abc") == hash)
        for text in ["", "00f0123456789ab", "00f0123456789abcd", "+0f0123456789abc", "x0f0123456789abc"] {
            #expect(PerceptualHash(text) == nil)
        }
        let json = try JSONEncoder().encode([hash])
        #expect(String(decoding: json, as: UTF8.self) == #"["00f0123456789abc"]"#)
        #expect(try JSONDecoder().decode([PerceptualHash].self, from: json) == [hash])
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([PerceptualHash].self, from: Data(#"["0"]"#.utf8))
        }
        #expect(
            hash.distance(to: hash) == 0
                && PerceptualHash(bits: .max).distance(to: PerceptualHash(bits: 0)) == 64)
    }

    @Test
    func `the highest bit of a perceptual hash is the mean, the next the lowest frequency across`() throws {
        // Dark on the left: half a wave of the lowest frequency, which falls, so its coefficient is negative.
        let rising = Image(
            bitmap: try drawn(64, 64) { x, _ in [UInt8(x * 4), UInt8(x * 4), UInt8(x * 4), 255] })
        let falling = Image(
            bitmap: try drawn(64, 64) { x, _ in
                let level = UInt8(252 - x * 4)
                return [level, level, level, 255]
            })
        #expect(try rising.perceptualHash().bits >> 62 == 0b10)
        #expect(try falling.perceptualHash().bits >> 62 == 0b11)
    }

    // MARK: - Smart crop

    /// Grey, with a coloured pattern 60 pixels wide at `x`.
    private func pattern(at start: Int) throws -> Bitmap {
        try drawn(300, 100) { x, y in
            let isInside = (start..<start + 60).contains(x) && (20..<80).contains(y)
            return isInside && (x / 6 + y / 6) % 2 == 0 ? [0, 40, 255, 255] : [120, 120, 120, 255]
        }
    }

    @Test(arguments: [10, 120, 230])
    func `a smart crop keeps the part with edges and colours`(_ start: Int) throws {
        let image = Image(bitmap: try pattern(at: start))
        let rect = try image.smartRect(of: CGSize(width: 100, height: 100))
        #expect(rect.size == CGSize(width: 100, height: 100))
        #expect(rect.minX <= CGFloat(start) + 3 && rect.maxX >= CGFloat(start) + 57, "\(rect)")
        let processor = SmartCroppingImageProcessor(size: CGSize(width: 100, height: 100))
        let options = KingfisherParsedOptionsInfo(nil)
        let result = try #require(processor.process(item: .image(image), options: options))
        #expect(result.pixelSize == PixelSize(width: 100, height: 100))
        let expected = image.kf.crop(
            to: CGSize(width: 100, height: 100), anchorOn: CGPoint(x: rect.minX / 200, y: 0))
        let layout = PixelLayout(.rgba, .straight)
        #expect(try result.pixels(in: layout) == expected.pixels(in: layout))
        #expect(try image.kf.smartCrop(to: rect.size).pixels(in: layout) == result.pixels(in: layout))
        // A size that the image does not exceed changes nothing.
        #expect(image.kf.smartCrop(to: CGSize(width: 400, height: 100)) === image)
        #expect(throws: CodecError.self) { try image.smartRect(of: .zero) }
    }

    @Test func `a smart crop of an animation keeps the part of its first frame in all frames`() throws {
        let frames = try [10, 230].map { AnimationFrame(bitmap: try pattern(at: $0), duration: 0.1) }
        let info = ImageInfo(format: .png, size: PixelSize(width: 300, height: 100), frameCount: 2)
        let file = try codecs.encode(frames: FrameList(frames, info: info), as: .png)
        let animation = try Image(decoding: Data(file))
        let cropped = animation.kf.smartCrop(to: CGSize(width: 100, height: 100))
        #expect(cropped.frameCount == 2)
        let written = try Image(decoding: cropped.data(as: .png))
        let decoder = try codecs.frames(of: written.data(as: .png).bytes)
        let first = try #require(try decoder.next()).bitmap
        let second = try #require(try decoder.next()).bitmap
        func colored(_ bitmap: Bitmap) -> Int {
            let bytes = bitmap.bytes(in: PixelLayout(.rgba, .straight))
            return stride(from: 0, to: bytes.count, by: 4).count { bytes[$0] > 200 }
        }
        #expect(colored(first) > 1500 && colored(second) == 0)
    }

    @Test func `a smart crop's identifier has the size`() {
        let size = CGSize(width: 3, height: 4)
        #expect(
            SmartCroppingImageProcessor(size: size).identifier
                == "alcedo.SmartCroppingImageProcessor((3.0, 4.0))")
    }
}
