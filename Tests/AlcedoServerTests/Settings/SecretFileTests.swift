import AlcedoServer
import AlcedoTestSupport
import Foundation
import Testing

struct `Secrets in files` {
    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    private func write(_ text: String, to name: String) throws -> String {
        try Data(text.utf8).write(to: folder.file(name))
        return folder.file(name).path
    }

    private func secret(_ environment: [String: String]) throws -> String {
        try SettingTexts(environment: environment).settings().secret
    }

    @Test func `secrets in files are named by a variable, and lose white space at their ends`() throws {
        let path = try write(" hunter2\n\n", to: "a")
        #expect(try secret(["ALCEDO_SECRET_FILE": path]) == "hunter2")
        #expect(try secret(["IMGPROXY_SECRET_FILE": path]) == "hunter2")
        #expect(try secret(["ALCEDO_SECRET_FILE": path, "ALCEDO_SECRET": "given"]) == "given")
        #expect(try secret(["ALCEDO_SECRET_FILE": path, "IMGPROXY_SECRET": "given"]) == "hunter2")
        let texts = try SettingTexts(environment: ["ALCEDO_SECRET_FILE": path])
        #expect(texts.warnings.isEmpty && !texts.listing.contains("hunter2"))
        #expect(texts.listing.contains("ALCEDO_SECRET=(secret)  # \(path)\n"))
    }

    @Test func `secrets in files may be credentials of systemd`() throws {
        _ = try write("hunter2\n", to: "ALCEDO_SECRET")
        #expect(try secret(["CREDENTIALS_DIRECTORY": folder.path]) == "hunter2")
        #expect(try secret(["CREDENTIALS_DIRECTORY": folder.path, "ALCEDO_SECRET": "given"]) == "given")
        #expect(try secret(["CREDENTIALS_DIRECTORY": folder.path + "/none"]) == "")
    }

    @Test func `secrets in files that can't be read, or are empty, stop the start`() throws {
        let (empty, absent) = (try write("\n", to: "a"), folder.path + "/none")
        for path in [empty, absent] {
            let failure = #expect(throws: SettingFailure.self) { try secret(["ALCEDO_SECRET_FILE": path]) }
            #expect(failure?.text.contains("ALCEDO_SECRET_FILE") == true)
            #expect(failure?.text.contains(path) == true)
        }
        // Only a secret has one.
        #expect(try SettingTexts(environment: ["ALCEDO_TTL_FILE": empty]).warnings.count == 1)
    }
}
