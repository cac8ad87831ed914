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
        let both = ["ALCEDO_SECRET_FILE": path, "ALCEDO_SECRET": "given"]
        #expect(
            try SettingTexts(environment: both).warnings == [
                "ALCEDO_SECRET_FILE has no effect, as ALCEDO_SECRET is given"
            ])
        let texts = try SettingTexts(environment: ["ALCEDO_SECRET_FILE": path])
        #expect(texts.warnings.isEmpty && !texts.listing.contains("hunter2"))
        #expect(texts.listing.contains("ALCEDO_SECRET=(secret)  # \(path)\n"))
    }

    @Test func `secrets in files are named by the configuration file too`() throws {
        let path = try write("hunter2\n", to: "a")
        func texts(_ lines: String, _ environment: [String: String] = [:]) throws -> SettingTexts {
            try SettingTexts(environment: environment, file: SettingTexts.File(path: "/s.conf", text: lines))
        }
        let named = try texts("ALCEDO_SECRET_FILE=\(path)\n")
        #expect(try named.settings().secret == "hunter2" && named.warnings.isEmpty)
        #expect(named.listing.contains("ALCEDO_SECRET=(secret)  # \(path)\n"))
        let given = try texts("ALCEDO_SECRET=given\nALCEDO_SECRET_FILE=\(path)\n")
        #expect(try given.settings().secret == "given")
        let overridden = try texts("ALCEDO_SECRET_FILE=\(path)\n", ["ALCEDO_SECRET": "given"])
        #expect(try overridden.settings().secret == "given")
        for line in ["ALCEDO_SECRET_FILE=\(path)-none", "ALCEDO_TTL_FILE=\(path)"] {
            let failure = #expect(throws: SettingFailure.self) { try texts(line) }
            #expect(failure?.text.contains("/s.conf, line 1") == true)
        }
    }

    @Test func `secrets in files may be headers of traces`() throws {
        let path = try write("x-token=hunter2", to: "a")
        let texts = try SettingTexts(environment: [
            "OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:4318", "OTEL_EXPORTER_OTLP_HEADERS_FILE": path,
        ])
        #expect(texts.warnings.isEmpty && texts.listing.contains("OTLP_HEADERS=(secret)  # \(path)\n"))
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
