import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo

struct `A process's place in the account` {
    private let folder: TemporaryDirectory
    private let account: String

    init() throws {
        folder = try TemporaryDirectory()
        account = folder.file("account").path
    }

    @Test func `is its own until it is gone, and there are 64`() {
        var places = (0..<65).map { _ in DiskPlace.firstFree(of: account) }
        #expect(places.map { $0?.number } == Array(0..<64) + [nil])
        places[3] = nil
        #expect(DiskPlace.firstFree(of: account)?.number == 3)
        withExtendedLifetime(places) {}
    }

    @Test func `is not looked for where files can't be made`() throws {
        try FileManager.default.createDirectory(
            atPath: account + "-0", withIntermediateDirectories: false)
        #expect(DiskPlace.firstFree(of: account) == nil)
        #expect(!FileManager.default.fileExists(atPath: account + "-1"))
    }
}
