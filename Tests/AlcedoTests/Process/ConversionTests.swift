import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import EngineFixtures

@Suite(.timeLimit(.minutes(10)))
struct `A conversion of bytes` {
    private let processor = DownsamplingImageProcessor(size: CGSize(width: 100, height: 100))

    @Test func `a conversion of bytes processes an image and encodes it`() async throws {
        let result = try await processor.convert(Data(try Sample.jpeg(400, 200)), to: .png)
        let image = try Image(decoding: result)
        #expect(image.info?.format == .png)
        #expect(image.pixelSize == PixelSize(width: 100, height: 50))
    }

    @Test func `a conversion of bytes runs a chain of processors`() async throws {
        let chain = processor |> CroppingImageProcessor(size: CGSize(width: 20, height: 20))
        let result = try await chain.convert(Data(try Sample.png(400, 200)), to: .jpeg)
        #expect(try Image(decoding: result).pixelSize == PixelSize(width: 20, height: 20))
    }

    @Test func `a conversion of bytes encodes an image again that stays as it is`() async throws {
        let upload = Data(try Sample.jpeg(400, 200))
        let result = try await DefaultImageProcessor.default.convert(
            upload, to: .jpeg, encoding: EncodeOptions(quality: 0.3))
        #expect(result != upload)
        #expect(try Image(decoding: result).pixelSize == PixelSize(width: 400, height: 200))
    }

    @Test(arguments: [EncodedFormat.png, .gif, .jpeg])
    func `a conversion of bytes has none of the upload's other bytes`(format: EncodedFormat) async throws {
        let marker = Array("<script>alert(1)</script>".utf8)
        var upload = [UInt8](try Image(decoding: Data(try Sample.png(40, 20))).data(as: format))
        switch format {
        // Behind the header.
        case .png: upload.insert(contentsOf: Bombs.chunk("prVt", marker), at: 33)
        // Comments: in front of the trailer, and behind the first marker.
        case .gif:
            let comment = [0x21, 0xFE, UInt8(marker.count)] + marker + [0]
            upload.insert(contentsOf: comment, at: upload.count - 1)
        default: upload.insert(contentsOf: [0xFF, 0xFE, 0, UInt8(marker.count + 2)] + marker, at: 2)
        }
        upload += marker
        let result = try await DefaultImageProcessor.default.convert(Data(upload), to: format)
        #expect(result.range(of: Data(marker)) == nil)
        let image = try Image(decoding: result)
        #expect(image.info?.format == format && image.pixelSize == PixelSize(width: 40, height: 20))
    }

    @Test func `a conversion of bytes fails for an upload with damaged pixels`() async throws {
        let whole = try Sample.jpeg(400, 200)
        let scan = try #require(whole.firstRange(of: [0xFF, 0xDA] as [UInt8])).upperBound
        // The headers of the scan, a few bytes of it, and the end that shows a whole file.
        let upload = Data(Array(whole[..<(scan + 12 + 8)]) + [0xFF, 0xD9])
        for each: any ImageProcessor in [DefaultImageProcessor.default, processor] {
            for format in [EncodedFormat.jpeg, .png] {
                let error = await kingfisherError { try await each.convert(upload, to: format) }
                #expect(error?.errorCode == 4001)
            }
        }
    }

    @Test func `a conversion of bytes fails beyond its limits, and says which`() async throws {
        let upload = Data(try Sample.png(400, 200))
        let error = await kingfisherError {
            try await DefaultImageProcessor.default.convert(
                upload, to: .png, limits: DecodeLimits(pixelsPerFrame: 100))
        }
        #expect(
            error.map { "\($0)" }?.contains("the limit is 100") == true,
            "\(error.map { "\($0)" } ?? "no error")")
    }

    @Test func `a conversion of bytes fails for bytes that are no image`() async throws {
        let error = await kingfisherError { try await processor.convert(Data("no image".utf8), to: .png) }
        #expect(error?.errorCode == 4001)
    }

    @Test func `a conversion of bytes does nothing once its task is cancelled`() async throws {
        let upload = Data(try Sample.png(400, 200))
        let task = Task { [processor] in
            withUnsafeCurrentTask { $0?.cancel() }
            return try await processor.convert(upload, to: .png)
        }
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}
