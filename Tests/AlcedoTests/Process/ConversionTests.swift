import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import EngineFixtures

@Suite(.timeLimit(.minutes(10)))
struct `A conversion of bytes` {
    private let processor = DownsamplingImageProcessor(size: CGSize(width: 100, height: 100))

    @Test func `processes an image and encodes it`() async throws {
        let result = try await processor.convert(Data(try Sample.jpeg(400, 200)), to: .png)
        let image = try Image(decoding: result)
        #expect(image.info?.format == .png)
        #expect(image.pixelSize == PixelSize(width: 100, height: 50))
    }

    @Test func `runs a chain`() async throws {
        let chain = processor |> CroppingImageProcessor(size: CGSize(width: 20, height: 20))
        let result = try await chain.convert(Data(try Sample.png(400, 200)), to: .jpeg)
        #expect(try Image(decoding: result).pixelSize == PixelSize(width: 20, height: 20))
    }

    @Test func `encodes an image again that stays as it is`() async throws {
        let upload = Data(try Sample.jpeg(400, 200))
        let result = try await DefaultImageProcessor.default.convert(
            upload, to: .jpeg, encoding: EncodeOptions(quality: 0.3))
        #expect(result != upload)
        #expect(try Image(decoding: result).pixelSize == PixelSize(width: 400, height: 200))
    }

    @Test func `fails beyond its limits, and says which`() async throws {
        let upload = Data(try Sample.png(400, 200))
        let error = await kingfisherError {
            try await DefaultImageProcessor.default.convert(
                upload, to: .png, limits: DecodeLimits(pixelsPerFrame: 100))
        }
        #expect(
            error.map { "\($0)" }?.contains("the limit is 100") == true,
            "\(error.map { "\($0)" } ?? "no error")")
    }

    @Test func `fails for bytes that are no image`() async throws {
        let error = await kingfisherError { try await processor.convert(Data("no image".utf8), to: .png) }
        #expect(error?.errorCode == 4001)
    }

    @Test func `does nothing once its task is cancelled`() async throws {
        let upload = Data(try Sample.png(400, 200))
        let task = Task { [processor] in
            withUnsafeCurrentTask { $0?.cancel() }
            return try await processor.convert(upload, to: .png)
        }
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}
