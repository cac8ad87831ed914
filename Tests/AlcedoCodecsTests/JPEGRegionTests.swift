import AlcedoPixels
import AlcedoRaster
import AlcedoTestSupport
import CJPEGShim
import Testing

@testable import AlcedoCodecs

struct `A part of a JPEG` {
    private let codec = JPEGCodec()

    private static let files = Fixture.list("made").filter { $0.hasSuffix(".jpg") } + ["jpeg/testorig.jpg"]

    /// The whole, corners, a row, a column, a pixel, and what begins and ends within and at borders of blocks.
    private func frames(in size: PixelSize) -> [PixelFrame] {
        let (width, height) = (size.width, size.height)
        var frames = [PixelFrame(width: width, height: height)]
        frames.append(PixelFrame(x: width - 1, y: height - 1, width: 1, height: 1))
        frames.append(PixelFrame(y: height / 2, width: width, height: 1))
        frames.append(PixelFrame(x: width / 2, width: 1, height: height))
        for (x, y, columns, rows) in [(0, 0, 16, 16), (16, 16, 16, 16), (15, 17, 18, 15), (33, 31, 40, 20)]
        where x + columns <= width && y + rows <= height {
            frames.append(PixelFrame(x: x, y: y, width: columns, height: rows))
            frames.append(
                PixelFrame(x: width - columns - x, y: height - rows - y, width: columns, height: rows))
        }
        return frames
    }

    @Test(arguments: files) func `a part of a JPEG has the pixels of the whole`(_ path: String) throws {
        let bytes = try Fixture.data(path)
        let whole = try codec.decode(bytes)
        for frame in frames(in: whole.size) {
            let part = try codec.decode(bytes) { $0.region = DecodeRegion(frame) }
            let cut = try whole.cropped(x: frame.x, y: frame.y, width: frame.width, height: frame.height)
            #expect(part.size == frame.size && part.bgra == cut.bgra, "\(frame)")
        }
    }

    @Test(arguments: files, [2, 4, 8])
    func `a part of a reduced JPEG has the pixels of the whole at the same reduction`(
        _ path: String, reduction: Int
    ) throws {
        let bytes = try Fixture.data(path)
        let stored = try codec.info(bytes).size
        let size = DecodeRegion.size(of: stored, reducedBy: reduction)
        let all = PixelFrame(width: size.width, height: size.height)
        let whole = try codec.decode(bytes) { $0.region = DecodeRegion(all, reduction: reduction) }
        #expect(whole.size == size)
        for frame in frames(in: size) {
            let part = try codec.decode(bytes) { $0.region = DecodeRegion(frame, reduction: reduction) }
            let cut = try whole.cropped(x: frame.x, y: frame.y, width: frame.width, height: frame.height)
            #expect(part.size == frame.size && part.bgra == cut.bgra, "\(frame)")
        }
    }

    @Test func `limits and memory count a part of a JPEG instead of the whole`() throws {
        let bytes = try Fixture.data("jpeg/testorig.jpg")
        let info = try codec.info(bytes)
        let options = DecodeOptions {
            $0.region = DecodeRegion(PixelFrame(x: 50, y: 50, width: 20, height: 10))
            $0.limits.pixelsPerFrame = 200
        }
        #expect(try codec.decode(bytes.span.bytes, options: options).size.area == 200)
        #expect(codec.memory(of: bytes.span.bytes, info: info, options: options) == DecodeMemory(result: 800))
        #expect(throws: CodecError.limitExceeded(.pixels, value: 200, limit: 199)) {
            try codec.decode(bytes) { ($0.region, $0.limits.pixelsPerFrame) = (options.region, 199) }
        }
        #expect(throws: CodecError.timeLimitExceeded(seconds: 0)) {
            try codec.decode(bytes) { ($0.region, $0.limits.seconds) = (options.region, 0) }
        }
    }

    @Test(arguments: [
        PixelFrame(x: 208, y: 0, width: 20, height: 1), PixelFrame(x: 0, y: 149, width: 1, height: 1),
        PixelFrame(x: -1, y: 0, width: 2, height: 2), PixelFrame(x: 1, y: 1, width: 0, height: 1),
        PixelFrame(x: .max, y: 0, width: 1, height: 1), PixelFrame(x: 0, y: 0, width: .max, height: .max),
    ])
    func `a part of a JPEG must be within the picture`(_ frame: PixelFrame) throws {
        let bytes = try Fixture.data("jpeg/testorig.jpg")
        #expect(throws: CodecError.unsupported(.jpeg, reason: "the region is not within its 227×149 pixels"))
        {
            try codec.decode(bytes) { $0.region = DecodeRegion(frame) }
        }
    }

    @Test func `a part of a JPEG needs the bytes before the part's end, and no more`() throws {
        var bytes = try Fixture.data("jpeg/testorig.jpg")
        let whole = try codec.decode(bytes)
        bytes.removeLast(bytes.count / 3)
        let top = try codec.decode(bytes) { $0.region = DecodeRegion(PixelFrame(width: 227, height: 40)) }
        #expect(try top.bgra == whole.cropped(x: 0, y: 0, width: 227, height: 40).bgra)
        #expect(throws: CodecError.truncated(.jpeg)) {
            try codec.decode(bytes) {
                $0.region = DecodeRegion(PixelFrame(y: 140, width: 227, height: 9))
            }
        }
    }

    /// Decodes a region until its stop flag has been looked at so many times.
    ///
    /// Returns the status, how often the flag was looked at, and the rows that were written.
    private func decode(
        _ bytes: [UInt8], _ frame: PixelFrame, until count: Int
    ) throws -> (status: alcedo_jpeg_status, looks: Int, rows: Int) {
        final class Looks {
            var count = 0
            let most: Int
            init(_ most: Int) { self.most = most }
        }
        let looks = Looks(count)
        let options = DecodeOptions { $0.region = DecodeRegion(frame) }
        let plan = try JPEGPlan(try JPEGHeader(bytes.span.bytes), in: bytes.span.bytes, options: options)
        var decoding = plan.decoding(until: .never)
        decoding.is_stopped = { looks in
            guard let looks = looks.map({ Unmanaged<Looks>.fromOpaque($0).takeUnretainedValue() }) else {
                return 0
            }
            looks.count += 1
            return looks.count >= looks.most ? 1 : 0
        }
        decoding.stop = UnsafeRawPointer(Unmanaged.passUnretained(looks).toOpaque())
        var region = try #require(plan.region)
        var pixels = [UInt8](repeating: 0, count: frame.width * frame.height * 4)
        var message = JPEGMessage()
        let status = message.withBuffer { message in
            alcedo_jpeg_decode_region(bytes, bytes.count, &decoding, &region, &pixels, message)
        }
        withExtendedLifetime(looks) {}
        // Written rows are opaque.
        let rows = (0..<frame.height).count { pixels[$0 * frame.width * 4 + 3] != 0 }
        return (status, looks.count, rows)
    }

    /// In the rows above the part, which are skipped, and in those of the part, which are read.
    @Test(arguments: [(0, 3), (5900, 2)], [0.9, 0.96])
    func `a region is stopped while it is decoded`(_ part: (y: Int, looks: Int), _ quality: Double) throws {
        let size = PixelSize(width: 1000, height: 6000)
        var builder = try PixelBuilder(size: size, alpha: .opaque)
        _ = builder.withUnsafeMutableBytes { $0.initializeMemory(as: UInt8.self, repeating: 0xFF) }
        let options = EncodeOptions { $0.quality = quality }
        let bytes = try codec.encode(builder.freeze(), as: .jpeg, options: options)
        let frame = PixelFrame(y: part.y, width: size.width, height: size.height - part.y)
        let all = try decode(bytes, frame, until: .max)
        #expect(all.status == ALCEDO_JPEG_OK && all.looks >= part.looks && all.rows == frame.height)
        for count in 1...part.looks {
            let stopped = try decode(bytes, frame, until: count)
            #expect(stopped.status == ALCEDO_JPEG_TOO_SLOW && stopped.looks == count)
            #expect(stopped.rows < frame.height / 2)
        }
    }
}
