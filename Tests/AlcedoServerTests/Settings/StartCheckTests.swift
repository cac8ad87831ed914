import Alcedo
import AlcedoPixels
import AlcedoTestSupport
import Foundation
import Testing

@testable import AlcedoServer

@Suite(.timeLimit(.minutes(10)))
struct `Settings that are checked at the start` {
    @Test func `settings name images by URLs that are checked at the start`() async throws {
        let server = try LoopbackServer()
        server.serve("/image", try Bitmap.coordinates(40, 30).encoded(as: .png))
        server.serve("/text", Array("no image".utf8))
        let closed = try ClosedPort()
        func warnings(_ name: String, _ url: String) async throws -> [String] {
            let texts = try SettingTexts(environment: [
                "ALCEDO_\(name)": url, "ALCEDO_DOWNLOAD_TIMEOUT": "600",
            ])
            return try await texts.checkURLs(of: texts.settings(), with: ServerEngine())
        }
        for name in ["WATERMARK_URL", "FALLBACK_IMAGE_URL"] {
            #expect(try await warnings(name, server.address("/image")) == [])
            for path in ["/missing", "/text"] {
                let failure = await #expect(throws: SettingFailure.self) {
                    try await warnings(name, server.address(path))
                }
                #expect(failure?.text.contains(name) == true, "\(String(describing: failure))")
            }
            let warning = try await warnings(name, "http://127.0.0.1:\(closed.number)/image")
            #expect(warning.count == 1 && warning.first?.contains(name) == true)
        }
    }

    @Test func `settings that keep profiles say where they have no effect`() throws {
        func warnings(_ sandbox: String) throws -> [String] {
            try SettingTexts(environment: [
                "ALCEDO_STRIP_COLOR_PROFILE": "false", "ALCEDO_SANDBOX": sandbox,
            ]).warnings
        }
        #expect(try warnings("prefer").isEmpty)
        #expect(try warnings("require").first?.contains("STRIP_COLOR_PROFILE") == true)
    }
}
