import AlcedoTestSupport
import Foundation
import Testing

/// The samples of this project's pages are compiled as a part of this target.
struct `Samples of a page` {
    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    private func source(of page: String) async throws -> String {
        let output = folder.file("Samples.swift")
        try Data(page.utf8).write(to: folder.file("Page.md"))
        // The build tool's own build is the one that a build of these tests alone has.
        _ = try await BuiltProgram.output(
            of: "SampleExtractor-tool", [folder.file("Page.md").path, output.path], in: folder)
        return try String(contentsOf: output, encoding: .utf8)
    }

    @Test func `samples of a page keep their lines, and are given what they need`() async throws {
        let page = """
            # A page

            <!-- sample needs: url: URL -->
            ```swift
            import AlcedoAF

            AF.request(url)
            ```

            <!-- sample: manifest -->
            ```swift
            targets: []
            ```

            <!-- sample: file Examples/A/main.swift -->
            ```swift
            @main struct A {}
            ```

            ```sh
            no Swift
            ```
            """
        let path = folder.file("Page.md").path
        #expect(
            try await source(of: page) == """
                import AlcedoAF
                import Foundation

                @MainActor private func samplePage5(url: URL) async throws {
                #sourceLocation(file: "\(path)", line: 5)


                AF.request(url)
                #sourceLocation()
                }

                """)
    }

    @Test(arguments: ["```swift\nlet a = 1", "<!-- sample mainfest -->\n```swift\n```"])
    func `samples of a page without an end or of an unknown kind are an error`(page: String) async throws {
        await #expect(throws: BuiltProgram.Failed.self) { try await source(of: page) }
    }
}
