#if GTK
    @testable import AlcedoGTK
    import AlcedoTestSupport
    import Foundation
    import Testing

    @Suite(.timeLimit(.minutes(10)))
    struct `A thumbnail of the desktop` {
        private let folder: TemporaryDirectory
        private let thumbnails: ThumbnailFolder
        private let file: URL

        init() throws {
            folder = try TemporaryDirectory()
            thumbnails = ThumbnailFolder(path: folder.url.appending(path: "cache/thumbnails").path)
            file = folder.url.appending(path: "a picture; 1.png")
            try write(try Sample.plain(400, 200, 10, 20, 30), modified: 1_000_000)
        }

        private func write(_ image: Image, modified: Int) throws {
            try write(try #require(image.kf.pngRepresentation()), modified: modified)
        }

        private func write(_ data: Data, modified: Int) throws {
            try data.write(to: file)
            let date = Date(timeIntervalSince1970: TimeInterval(modified))
            try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: file.path)
        }

        private func thumbnail(
            _ size: DesktopThumbnailImageDataProvider.Size = .normal, creates: Bool = true
        ) async throws -> Data {
            var provider = DesktopThumbnailImageDataProvider(
                fileURL: file, size: size, createsMissing: creates)
            provider.folder = thumbnails
            return try await provider.data()
        }

        private func path(_ folder: String) throws -> String {
            "\(thumbnails.path)/\(folder)/\(try ThumbnailedFile(file).name)"
        }

        private func permissions(_ path: String) throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        }

        @Test func `has the name, the texts and the permissions of the specification`() async throws {
            #expect(
                ThumbnailedFile.name(of: "file:///home/jens/photos/me.png")
                    == "c6ee772d9e49320e97ec29a7eb5b1697.png")
            let data = try await thumbnail()
            let path = try path("normal")
            #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == data)
            #expect(try permissions(path) == 0o600)
            #expect(try permissions(thumbnails.path + "/normal") == 0o700)
            let uri = "file://\(folder.url.path)/a%20picture%3B%201.png"
            let size = try Data(contentsOf: file).count
            #expect(
                PNGTexts(of: data).values == [
                    "Thumb::URI": uri, "Thumb::MTime": "1000000", "Thumb::Size": "\(size)",
                    "Software": "Alcedo",
                ])
            #expect(Image(data: data)?.pixelSize == PixelSize(width: 128, height: 64))
        }

        @Test func `is not larger than its image`() async throws {
            let data = try await thumbnail(.xLarge)
            #expect(Image(data: data)?.pixelSize == PixelSize(width: 400, height: 200))
        }

        @Test func `that another program has made is read, also a larger one, unless it is older`()
            async throws
        {
            let other = try #require(Sample.plain(64, 32, 1, 2, 3).kf.pngRepresentation())
            let present = thumbnails.write(other, to: "large", of: try ThumbnailedFile(file))
            #expect(try await thumbnail(creates: false) == present)
            #expect(try await thumbnail(.large) == present)
            await #expect(throws: DesktopThumbnailError.missing(file: file.path)) {
                try await thumbnail(.xLarge, creates: false)
            }
            try write(try Sample.plain(100, 100, 9, 9, 9), modified: 2_000_000)
            let new = try await thumbnail(.large)
            #expect(new != present)
            #expect(PNGTexts(of: new).values["Thumb::MTime"] == "2000000")
        }

        @Test func `that can't be created is tried again only after a change of its file`() async throws {
            try write(Data("no picture".utf8), modified: 1_000_000)
            await #expect(throws: KingfisherError.self) { try await thumbnail() }
            await #expect(throws: DesktopThumbnailError.failedBefore(file: file.path)) {
                try await thumbnail()
            }
            #expect(FileManager.default.fileExists(atPath: try path(ThumbnailFolder.failures)))
            try write(try Sample.plain(100, 100, 9, 9, 9), modified: 1_000_001)
            let data = try await thumbnail()
            #expect(Image(data: data) != nil)
            try FileManager.default.removeItem(at: file)
            await #expect(throws: DesktopThumbnailError.noFile(file.path)) { try await thumbnail() }
        }

        @Test func `of a thumbnail is itself`() async throws {
            let made = try await thumbnail()
            var provider = DesktopThumbnailImageDataProvider(
                fileURL: URL(fileURLWithPath: try path("normal")), size: .large)
            provider.folder = thumbnails
            #expect(try await provider.data() == made)
            #expect(!FileManager.default.fileExists(atPath: thumbnails.path + "/large"))
        }

        @Test func `of damaged chunks is not read`() throws {
            let file = try ThumbnailedFile(file)
            let data = thumbnails.write(ThumbnailFolder.failure, to: "normal", of: file)
            for count in 0..<data.count - 60 { _ = PNGTexts(of: data.prefix(count)) }
            #expect(PNGTexts(of: data.prefix(40)).values.isEmpty)
            try data.prefix(80).write(to: URL(fileURLWithPath: path("normal")))
            #expect(thumbnails.read("normal", of: file) == nil)
        }
    }
#endif
