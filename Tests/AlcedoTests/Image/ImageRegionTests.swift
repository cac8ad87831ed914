import AlcedoCodecs
import AlcedoPixels
import AlcedoRaster
import AlcedoTestSupport
import EngineFixtures
import Foundation
import Testing

@testable import Alcedo

struct `A reader of a picture's parts` {
    private func data(_ path: String) throws -> Data { Data(try Fixture.data(path)) }

    private static let oriented = (1...8).map { "exif-orientation/Landscape_\($0).jpg" }

    /// One of each way of decoding: JPEG, bands, interlaced, and whole, with orientations and profiles.
    private static let files =
        [
            "made/progressive.jpg", "made/wide-gamut.jpg", "made/cmyk-profile.jpg", "made/alpha.png",
            "made/turned.png", "made/wide-gamut.png", "pngsuite/png/basi6a08.png",
            "pngsuite/png/basn2c16.png",
            "gif/fire.gif", "made/lossy-alpha.webp", "made/turned.webp", "made/animated.webp",
        ] + [oriented[5], oriented[6]]

    private func parts(of size: PixelSize) -> [CGRect] {
        let (width, height) = (CGFloat(size.width), CGFloat(size.height))
        return [
            CGRect(x: 0, y: 0, width: width, height: height),
            CGRect(x: width - 1, y: 0, width: 1, height: height),
            CGRect(x: width / 3, y: height / 4, width: width / 2, height: height / 5),
        ]
    }

    @Test(arguments: files) func `a region of a picture has the pixels of the whole`(_ path: String) throws {
        let data = try data(path)
        let whole = try Image(decoding: data).bitmap()
        let reader = try ImageRegionReader(data)
        #expect(reader.size == whole.size)
        for part in parts(of: reader.size) {
            let region = try reader.decode(part)
            #expect(region.frame == part.integral)
            let frame = region.frame
            let cut = try whole.cropped(
                x: Int(frame.minX), y: Int(frame.minY), width: Int(frame.width), height: Int(frame.height))
            let isEqual = region.bitmap.hasSamePixels(as: cut)
            #expect(isEqual, "\(part)")
        }
    }

    @Test(arguments: files, [2, 4, 8])
    func `regions of a picture at one reduction are parts of one reduced picture`(
        _ path: String, reduction: Int
    ) throws {
        let reader = try ImageRegionReader(data(path))
        let whole = try reader.decode(reader.bounds, reduction: reduction)
        for part in parts(of: reader.size) {
            let region = try reader.decode(part, reduction: reduction)
            let frame = region.frame
            #expect(frame.intersection(reader.bounds).contains(part))
            #expect(frame.width == CGFloat(region.bitmap.width * reduction))
            let cut = try whole.bitmap.cropped(
                x: Int(frame.minX - whole.frame.minX) / reduction,
                y: Int(frame.minY - whole.frame.minY) / reduction,
                width: region.bitmap.width, height: region.bitmap.height)
            let isEqual = region.bitmap.hasSamePixels(as: cut)
            #expect(isEqual, "\(part)")
        }
    }

    @Test(arguments: oriented)
    func `a region of a picture is upright, at any reduction`(_ path: String) throws {
        let data = try data(path)
        let whole = try Image(decoding: data).bitmap()
        let reader = try ImageRegionReader(data)
        let part = CGRect(x: 301, y: 77, width: 160, height: 90)
        for reduction in ImageRegionReader.reductions {
            let region = try reader.decode(part, reduction: reduction)
            let frame = region.frame
            let cut = try whole.cropped(
                x: Int(frame.minX), y: Int(frame.minY), width: Int(frame.width), height: Int(frame.height))
            let (mean, expected) = (try average(region.bitmap), try average(cut))
            #expect(zip(mean, expected).allSatisfy { abs($0 - $1) < 3 }, "\(reduction): \(mean) \(expected)")
        }
    }

    /// The colour of each quarter.
    private func average(_ bitmap: Bitmap) throws -> [Double] {
        let small = try bitmap.resized(to: PixelSize(width: 2, height: 2))
        return small.withUnsafeBytes { $0.map { Double($0) } }
    }

    @Test func `a region of a picture that is too large to be decoded whole is read`() async throws {
        let data = try `A giant photograph`.jpeg(20_000, 12_000)
        #expect(throws: CodecError.self) { try Image(decoding: data) }
        let reader = try ImageRegionReader(data)
        #expect(reader.size == PixelSize(width: 20_000, height: 12_000))
        let part = try await reader.decode(CGRect(x: 19_000, y: 11_500, width: 1_000, height: 500))
        #expect(part.bitmap.size == PixelSize(width: 1_000, height: 500))
        #expect(part.bitmap.withUnsafeBytes { $0.allSatisfy { $0 == 128 || $0 == 255 } })
        #expect(throws: CodecError.limitExceeded(.pixels, value: 240_000_000, limit: 50_000_000)) {
            try reader.decode(reader.bounds)
        }
        let overview = try await reader.decode(reader.bounds, reduction: 8)
        #expect(overview.bitmap.size == PixelSize(width: 2_500, height: 1_500))
    }

    @Test(arguments: [
        CGRect(x: 0, y: 0, width: 228, height: 1), CGRect(x: -0.5, y: 0, width: 2, height: 2),
        CGRect(x: 3, y: 3, width: 0, height: 3), CGRect.null, .infinite,
        CGRect(x: CGFloat.nan, y: 0, width: 1, height: 1),
    ])
    func `a region that is not in the picture is rejected`(_ part: CGRect) throws {
        let reader = try ImageRegionReader(data("jpeg/testorig.jpg"))
        #expect {
            try reader.decode(part)
        } throws: { error in
            "\(error)".contains("not within the 227×149 pixels")
        }
    }

    @Test func `a region at a reduction that codecs do not have is rejected`() throws {
        let reader = try ImageRegionReader(data("jpeg/testorig.jpg"))
        #expect(throws: CodecError.self) { try reader.decode(reader.bounds, reduction: 3) }
    }

    @Test func `a region that nobody needs any more is not waited for`() async throws {
        let reader = try ImageRegionReader(data("jpeg/testorig.jpg"))
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await reader.decode(reader.bounds)
        }
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test(arguments: ["jpeg/testorig.jpg", "made/progressive.jpg", "made/alpha.png", "gif/porsche.gif"])
    func `a region is not decoded further once nobody needs it`(_ path: String) throws {
        let reader = try ImageRegionReader(data(path))
        let stop = DecodeStop()
        #expect(throws: Never.self) { try reader.decode(reader.bounds, stop: stop) }
        stop.stop()
        #expect(throws: CodecError.timeLimitExceeded(seconds: DecodeLimits().seconds)) {
            try reader.decode(reader.bounds, stop: stop)
        }
    }

    @Test func `a region is drawn from fewer pixels where the limit has no room for all`() async throws {
        let limits = DecodeLimits { $0.pixelsPerFrame = 5_000 }
        let reader = try ImageRegionReader(data("jpeg/testorig.jpg"), limits: limits)
        let part = CGRect(x: 10, y: 10, width: 100, height: 60)
        #expect(!reader.hasFewPixels(part, drawnAt: 0.8))
        let region = try await reader.decode(part, drawnAt: 0.8)
        #expect(region.bitmap.size == PixelSize(width: 50, height: 30) && region.frame == part)
    }

    @Test func `a region reader reads the file of an image, and none that was processed`() throws {
        let image = try Image(decoding: data("jpeg/testorig.jpg"))
        #expect(ImageRegionReader(image)?.size == image.pixelSize)
        #expect(try ImageRegionReader(Image(bitmap: image.bitmap())) == nil)
    }
}
