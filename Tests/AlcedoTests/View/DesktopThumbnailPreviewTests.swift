import AlcedoTestSupport
import AlcedoTesting
import Foundation
import Testing

@testable import Alcedo
@testable import EngineFixtures

@MainActor @Suite(.timeLimit(.minutes(10)))
struct `The desktop's thumbnail as the placeholder` {
    private let folder: TemporaryDirectory
    private let file: URL

    /// A picture whose thumbnail the user's folder has, smaller than the desktop would make it.
    init() throws {
        folder = try TemporaryDirectory()
        file = folder.file("a.png")
        try Data(Sample.png(30, 4)).write(to: file)
        let described = try ThumbnailedFile(file)
        ThumbnailFolder.ofUser.write(
            ThumbnailFolder.Entry(
                folder: "large", file: described, data: described.described(Data(try Sample.png(15, 2)))))
    }

    private func removeThumbnail() throws {
        let name = try #require(try ThumbnailedFile(file).name)
        try FileManager.default.removeItem(atPath: "\(ThumbnailFolder.ofUser.path)/large/\(name)")
    }

    @Test func `the desktop's thumbnail is shown until the file is loaded, if the option says so`()
        async throws
    {
        defer { #expect(throws: Never.self) { try removeThumbnail() } }
        for isShown in [true, false] {
            let (fixture, gate, results) = (try ViewFixture(), Gate(), Recorder<ViewResult>())
            let wait = Interceptor { request, next in
                await gate.pass()
                return try await next(request)
            }
            let option: KingfisherOptionsInfo = isShown ? [.showDesktopThumbnailWhileLoading] : []
            let options = fixture.own + [.networkInterceptors([wait])] + option
            fixture.view.kf.setImage(with: file, placeholder: try Image.plain(2), options: options) {
                results.append($0)
            }
            if isShown { try await until { fixture.view.image.width == 15 } }
            #expect(fixture.view.kf.placeholder is Image)
            gate.open()
            #expect(try await results.waitFor(count: 1)[0].get().image.pixelSize.width == 30)
            #expect(fixture.view.image.width == 30 && fixture.view.kf.placeholder == nil)
            #expect(fixture.surface.shown.contains { $0.width == 15 } == isShown)
        }
    }

    private func until(_ condition: () -> Bool) async throws {
        while !condition() {
            try Task.checkCancellation()
            await Task.yield()
        }
    }
}
