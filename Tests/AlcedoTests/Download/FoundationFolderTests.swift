import AlcedoTestSupport
import Foundation
import FoundationNetworking
import Testing

@testable import Alcedo
@testable import EngineFixtures

@Suite(.timeLimit(.minutes(10)))
struct `Foundation's folders` {
    let folder: TemporaryDirectory

    init() throws {
        folder = try TemporaryDirectory()
    }

    private func mode(_ path: String) throws -> Int? {
        let file = folder.url.appending(path: path).path
        return try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
    }

    private func make(_ path: String, files: [String] = []) throws {
        let url = folder.url.appending(path: path)
        try FileManager.default.createDirectory(
            at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
        for file in files { try Data([1]).write(to: url.appending(path: file)) }
    }

    private func makePrivate() {
        FoundationFolders.makePrivate(
            caches: folder.url.appending(path: "caches"), cookies: folder.url.appending(path: "data/program"))
    }

    @Test func `folders of Foundation are made for their owner alone before Foundation makes them`() throws {
        makePrivate()
        #expect(try mode("caches/org.swift.foundation.URLCache") == 0o700)
        #expect(try mode("data/program") == 0o700)
    }

    @Test func `folders of Foundation become their owner's alone where Foundation was first`() throws {
        try make("caches/org.swift.foundation.URLCache/program")
        try make("data/program", files: [".cookies.shared"])
        makePrivate()
        #expect(try mode("caches/org.swift.foundation.URLCache") == 0o700)
        #expect(try mode("data/program") == 0o700)
    }

    @Test func `folders of Foundation stay as they are where a program has files of its own`() throws {
        try make("data/program", files: [".cookies.shared", "settings"])
        makePrivate()
        #expect(try mode("data/program") == 0o755)
    }

    @Test func `a downloader's cookies are in its configuration once somebody looks`() async throws {
        let loading = try Loading()
        loading.server.serve(
            "/a", Reply(body: try Sample.png(4, 4), headers: [("Set-Cookie", "name=value; Path=/")]))
        _ = try await loading.downloader.downloadImage(with: loading.server.url("/a"))
        let configuration = loading.downloader.sessionConfiguration
        #expect(configuration.httpCookieStorage?.cookies?.map(\.value) == ["value"])
        #expect(loading.downloader.sessionConfiguration.httpCookieStorage === configuration.httpCookieStorage)
        configuration.httpCookieStorage?.cookies?.forEach {
            configuration.httpCookieStorage?.deleteCookie($0)
        }
        _ = try await loading.downloader.downloadImage(with: loading.server.url("/a"))
        _ = try await loading.downloader.downloadImage(with: loading.server.url("/a"))
        #expect(loading.server.requests().map { $0.header("Cookie") } == [nil, nil, "name=value"])
    }
}
