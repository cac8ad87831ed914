import AlcedoCodecs
import AlcedoPixels
import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import EngineFixtures

/// Every picture of the fixtures, of every format whose trait is on.
struct `A damaged picture` {
    private static let folders = [
        "exif-orientation", "gif", "heif", "jp2", "jpeg", "jxl", "made", "pngsuite/png", "svg", "tiff",
    ]

    /// Those that are small enough to be tried a hundred times; of PngSuite's many, every fourth.
    private static func pictures(in folder: String) -> [String] {
        let list = Fixture.list(folder)
        let step = folder.hasPrefix("pngsuite") ? 4 : 1
        return stride(from: 0, to: list.count, by: step).map { list[$0] }.filter { path in
            guard let bytes = try? Fixture.data(path), bytes.count <= 1 << 16 else { return false }
            return codecs.codec(for: bytes.span.bytes) != nil
        }
    }

    /// Whether there is a picture; lets other tests have their turn first.
    private func decode(_ bytes: [UInt8], from path: String) async -> Bool {
        await Task.yield()
        let options = DecodeOptions { $0.limits.pixelsPerFrame = 1 << 20 }
        do {
            _ = try? codecs.info(of: bytes.span.bytes, limits: options.limits)
            _ = codecs.profile(of: bytes.span.bytes)
            let decoder = try codecs.frames(of: bytes.span.bytes, options: options)
            while let frame = try decoder.next() {
                let size = frame.bitmap.size
                if size.area > options.limits.pixelsPerFrame { Issue.record("\(path): \(size) is decoded") }
            }
            return true
        } catch {
            if case .outOfMemory = error { Issue.record("\(path): \(error)") }
            return false
        }
    }

    @Test(arguments: folders)
    func `a picture that is cut at any of 40 places is an error or a picture`(folder: String) async throws {
        var (whole, tried, rejected) = (0, 0, 0)
        for path in Self.pictures(in: folder) {
            let bytes = try Fixture.data(path)
            whole += await decode(bytes, from: path) ? 1 : 0
            for count in stride(from: 0, to: bytes.count, by: max(64, bytes.count / 40)) {
                tried += 1
                rejected += await decode(Array(bytes[..<count]), from: path) ? 0 : 1
            }
        }
        #expect(whole > 0 || folder == "exif-orientation")
        // A GIF keeps the frames that are whole.
        #expect(rejected > tried / 2 || tried == 0)
    }

    @Test(arguments: folders) func `a picture with any of 40 bytes changed is an error or a picture`(
        folder: String
    ) async throws {
        var (tried, rejected) = (0, 0)
        for path in Self.pictures(in: folder) {
            let bytes = try Fixture.data(path)
            for flipped in Damage.flips(of: bytes, count: 40) {
                tried += 1
                rejected += await decode(flipped, from: path) ? 0 : 1
            }
        }
        // What is not checked by its decoder may be another picture, but not everywhere.
        #expect(rejected > 0 || tried == 0, "\(rejected) of \(tried)")
    }
}

struct `A picture under a wrong name` {
    private func png() throws -> [UInt8] { try Sample.png(9, 5) }

    @Test(arguments: ["image/jpeg", "text/html", "application/octet-stream", "image/svg+xml", ""])
    func `a picture under a wrong name is what its bytes say`(type: String) async throws {
        let loading = try Loading()
        loading.server.serve("/a.jpg", try png(), contentType: type)
        let result = try await loading.manager.retrieveImage(with: loading.server.url("/a.jpg"))
        #expect(result.image.pixelSize == PixelSize(width: 9, height: 5))
    }

    @Test func `a file is the picture that its first bytes start, whatever follows`() throws {
        let others = try [
            Fixture.data("made/odd-7x9.jpg"), Fixture.data("gif/fire.gif"),
            Array("<script>alert(1)</script>".utf8),
            Array("%PDF-1.7".utf8), Array("PK\u{3}\u{4}".utf8),
        ]
        for other in others {
            let bytes = try png() + other
            #expect(try codecs.info(of: bytes.span.bytes).format == .png)
            #expect(try codecs.decode(bytes.span.bytes).size == PixelSize(width: 9, height: 5))
        }
        let behind = Array("%PDF-1.7\n".utf8) + (try png())
        #expect(codecs.codec(for: behind.span.bytes) == nil)
    }

    @Test func `a GIF that is a script as well is a GIF`() throws {
        // "GIF89a" assigned to, a comment, and the file's end in a string: both readers are content.
        var bytes = try Fixture.data("gif/gifgrid.gif")
        bytes += Array("*/=1;alert(1)//".utf8)
        #expect(try codecs.info(of: bytes.span.bytes).format == .gif)
    }
}
