import AlcedoServer
import AlcedoTestSupport
import Foundation
import Testing

struct `The documentation of settings` {
    @Test func `the documentation of settings has every setting with its default`() throws {
        let page = try String(
            contentsOf: Fixture.folder.appending(path: "../../docs/image-server.md"), encoding: .utf8)
        for setting in Setting.all where setting.name != "WORKERS" {
            let value = setting.defaultText.isEmpty ? "" : "`\(setting.defaultText)`"
            let row = "| `\(setting.name)` | \(value) | \(setting.summary) |"
            #expect(page.contains(row), "\(row)")
        }
    }
}
