import AlcedoCaches
import AlcedoCodecs
import AlcedoPixels
import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import EngineFixtures

@Suite(.timeLimit(.minutes(10)))
struct `A thumbnail of the desktop` {
    private let folder: TemporaryDirectory
    private let thumbnails: ThumbnailFolder
    private let file: URL

    init() throws {
        folder = try TemporaryDirectory()
        thumbnails = ThumbnailFolder(path: folder.url.appending(path: "cache/thumbnails").path)
        file = folder.url.appending(path: "a picture; 1.png")
        try write(Data(try Sample.png(400, 200)), modified: 1_000_000)
    }

    private func write(_ data: Data, modified: Int) throws {
        try data.write(to: file)
        let date = Date(timeIntervalSince1970: TimeInterval(modified))
        try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: file.path)
    }

    private func provider(
        _ size: DesktopThumbnailImageDataProvider.Size = .normal, creates: Bool = true
    ) -> DesktopThumbnailImageDataProvider {
        var provider = DesktopThumbnailImageDataProvider(fileURL: file, size: size, createsMissing: creates)
        provider.folder = thumbnails
        return provider
    }

    private func path(_ folder: String) throws -> String {
        "\(thumbnails.path)/\(folder)/\(try #require(try ThumbnailedFile(file).name))"
    }

    private func permissions(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    /// The names of all files that were written.
    private var written: [String] {
        let paths =
            FileManager.default.enumerator(atPath: thumbnails.path)?.compactMap { $0 as? String } ?? []
        return paths.filter { $0.hasSuffix(".png") || $0.contains("/.") }
    }

    /// A function of its own: Swift 6.2 crashes at a span of data whose initial value may be an error.
    private func texts(_ png: Data) -> [String: String] { PNGTexts.read(png.bytes) }

    /// Writes what another program has made.
    private func place(_ png: Data, in folder: String) throws -> Data {
        let file = try ThumbnailedFile(file)
        let entry = ThumbnailFolder.Entry(folder: folder, file: file, data: file.described(png))
        thumbnails.write(entry)
        return entry.data
    }

    @Test func `a desktop thumbnail has the name, the texts and the permissions of the specification`()
        async throws
    {
        #expect(ThumbnailedFile.uri(of: "/home/jens/photos/me.png") == "file:///home/jens/photos/me.png")
        #expect(
            md5Hex("file:///home/jens/photos/me.png") == "c6ee772d9e49320e97ec29a7eb5b1697")
        #expect(ThumbnailedFile.uri(of: "/ä ;?#[~]@+,") == "file:///%C3%A4%20%3B%3F%23%5B~%5D@+,")
        let data = try await provider().data()
        let path = try path("normal")
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == data)
        #expect(try permissions(path) == 0o600)
        #expect(try permissions(thumbnails.path + "/normal") == 0o700)
        #expect(try permissions(thumbnails.path) == 0o700)
        #expect(written.count == 1, "\(written)")
        let uri = "file://\(folder.url.path)/a%20picture%3B%201.png"
        let size = try Data(contentsOf: file).count
        #expect(
            texts(data) == [
                "Thumb::URI": uri, "Thumb::MTime": "1000000", "Thumb::Size": "\(size)", "Software": "Alcedo",
            ])
        #expect(Image(data: data)?.pixelSize == PixelSize(width: 128, height: 64))
    }

    @Test func `a desktop thumbnail is that of a file whose name is not UTF-8`() async throws {
        let url = try folder.renameToBytes(file, "a", " b.png")
        var provider = DesktopThumbnailImageDataProvider(fileURL: url, size: .normal)
        provider.folder = thumbnails
        #expect(Image(data: try await provider.data())?.pixelSize == PixelSize(width: 128, height: 64))
        // GLib's URI of the bytes.
        let name = try #require(md5Hex("file://\(folder.path)/a%FF%20b.png"))
        #expect(written == ["normal/\(name).png"])
    }

    @Test func `the largest desktop thumbnail of a file is found, unless the file has changed`() async throws
    {
        func found() async -> PixelSize? {
            await withCheckedContinuation { continuation in
                DesktopThumbnailImageDataProvider.find(of: file, in: thumbnails, limits: DecodeLimits()) {
                    continuation.resume(returning: $0?.pixelSize)
                }
            }
        }
        #expect(await found() == nil)
        #expect(written.isEmpty)
        _ = try await provider().data()
        #expect(await found() == PixelSize(width: 128, height: 64))
        _ = try place(Data(try Sample.png(200, 100)), in: "x-large")
        #expect(await found() == PixelSize(width: 200, height: 100))
        try write(Data(try Sample.png(100, 100)), modified: 2_000_000)
        #expect(await found() == nil)
    }

    @Test func `a desktop thumbnail is not larger than its image`() async throws {
        let data = try await provider(.xLarge).data()
        #expect(Image(data: data)?.pixelSize == PixelSize(width: 400, height: 200))
        #expect(try thumbnails.path + "/" + (written.first ?? "") == path("x-large"))
    }

    @Test func `a desktop thumbnail of another program is read, also a larger one, unless it is older`()
        async throws
    {
        let present = try place(Data(try Sample.png(64, 32)), in: "large")
        #expect(try await provider(creates: false).data() == present)
        #expect(try await provider(.large).data() == present)
        await #expect(throws: DesktopThumbnailError.missing(file: file.path)) {
            try await provider(.xLarge, creates: false).data()
        }
        try write(Data(try Sample.png(100, 100)), modified: 2_000_000)
        let new = try await provider(.large).data()
        #expect(new != present && texts(new)["Thumb::MTime"] == "2000000")
        // Changed within one second, to another number of bytes.
        let last = Data(try Sample.png(200, 150))
        try #require(try Data(contentsOf: file).count != last.count)
        try write(last, modified: 2_000_000)
        let newest = Image(data: try await provider(.large).data())
        #expect(newest?.pixelSize == PixelSize(width: 200, height: 150))
        // Changed later, to as many bytes.
        try write(last, modified: 2_000_001)
        let same = try await provider(.large).data()
        #expect(texts(same)["Thumb::MTime"] == "2000001")
    }

    @Test func `a desktop thumbnail of a damaged file is tried again only after a change`() async throws {
        let whole = Data(try Sample.png(100, 100))
        try write(whole.prefix(whole.count / 2), modified: 1_000_000)
        await #expect(throws: CodecError.self) { try await provider().data() }
        await #expect(throws: DesktopThumbnailError.failedBefore(file: file.path)) {
            try await provider(.large).data()
        }
        let entry = try Data(contentsOf: URL(fileURLWithPath: try path(ThumbnailFolder.failures)))
        #expect(Image(data: entry)?.pixelSize == PixelSize(width: 1, height: 1))
        #expect(texts(entry)["Thumb::MTime"] == "1000000")
        try write(whole, modified: 1_000_001)
        #expect(Image(data: try await provider().data()) != nil)
        try FileManager.default.removeItem(at: file)
        await #expect(throws: DesktopThumbnailError.noFile(file.path)) { try await provider().data() }
    }

    @Test
    func `a desktop thumbnail keeps to its load's limits, whose failures are not recorded`() async throws {
        let limits = [
            DecodeLimits(pixelsPerFrame: 100), DecodeLimits(encodedBytes: 10), DecodeLimits(seconds: 0),
        ]
        let manager = try Loading().manager
        for limits in limits {
            await #expect(throws: (any Error).self) { try await provider().data(within: limits) }
            let error = await kingfisherError {
                let options: KingfisherOptionsInfo = [.decodeLimits(limits), .cacheMemoryOnly, .forceRefresh]
                _ = try await manager.retrieveImage(with: .provider(provider()), options: options)
            }
            #expect(error != nil)
        }
        #expect(written == [])
        _ = try await provider().data(within: DecodeLimits())
        #expect(written.count == 1)
    }

    @Test
    func `a desktop thumbnail is decoded nowhere if isolation is required and there is none`() async throws {
        CodecRegistry.shared.register(ProgramsCodec())
        try write(ProgramsCodec.file, modified: 1)
        await #expect(throws: CodecError.self) {
            try await provider().data(within: DecodeLimits { $0.sandbox = .required })
        }
        #expect(written == [])
        #expect(Image(data: try await provider().data())?.pixelSize == ProgramsCodec.size)
    }

    @Test func `a desktop thumbnail is not created for a cancelled load`() async throws {
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await provider().data(within: DecodeLimits())
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(written == [])
    }

    @Test func `a desktop thumbnail of a thumbnail is itself`() async throws {
        let made = try await provider().data()
        var again = DesktopThumbnailImageDataProvider(
            fileURL: URL(fileURLWithPath: try path("normal")), size: .large)
        again.folder = thumbnails
        #expect(try await again.data() == made)
        #expect(written.count == 1)
    }

    @Test func `a desktop thumbnail that is cut short is created anew`() async throws {
        let data = try place(Data(try Sample.png(20, 10)), in: "normal")
        for count in 0..<data.count { _ = PNGTexts.read(data.prefix(count).bytes) }
        #expect(PNGTexts.read(data.prefix(40).bytes).isEmpty)
        try data.dropLast(20).write(to: URL(fileURLWithPath: try path("normal")))
        #expect(Image(data: try await provider().data())?.pixelSize.width == 128)
    }
}

/// A codec of the program's, for a format of its own.
private struct ProgramsCodec: ImageCodec {
    static let file = Data("DESKTOP-THUMBNAIL".utf8)
    static let size = PixelSize(width: 3, height: 2)

    func format(of bytes: RawSpan) -> EncodedFormat? {
        let isOurs = bytes.withUnsafeBytes { $0.starts(with: Self.file) }
        return isOurs ? EncodedFormat(rawValue: "desktop-thumbnail") : nil
    }

    func info(of bytes: RawSpan, limits: DecodeLimits) throws(CodecError) -> ImageInfo {
        ImageInfo(
            format: EncodedFormat(rawValue: "desktop-thumbnail"), size: Self.size, frameCount: 1, loopCount: 1
        )
    }

    func decode(_ bytes: RawSpan, options: DecodeOptions) throws(CodecError) -> Bitmap {
        try PixelBuilder(size: Self.size, alpha: .opaque).freeze()
    }
}
