import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import EngineFixtures

@Suite(.serialized, .timeLimit(.minutes(10)))
struct `A process that is killed while it downloads` {
    @Test(arguments: 3...9)
    func `a process that is killed while it downloads leaves a body that the next one resumes`(tenths: Int)
        async throws
    {
        let resuming = try Resuming()
        let (image, gate) = (resuming.image, Gate())
        let cut = image.count * tenths / 10
        let first = resuming.whole().hold(.byte(cut), until: gate)
        resuming.server.route("/a") {
            $0.header("Range") == nil ? first : Resuming.rest($0, of: image)
        }
        let path = resuming.folder.file("partial").path
        await #expect(throws: BuiltProgram.Failed.self) { try await run(resuming, killedAfter: cut) }
        #expect(resuming.server.requestCount() == 1)
        try await run(resuming, killedAfter: .max)
        #expect(try Data(contentsOf: URL(fileURLWithPath: path + ".image")) == Data(image))
        let range = resuming.ranges.last.flatMap { $0 }
        let start = try #require(range.flatMap { Int($0.dropFirst(6).dropLast()) })
        // What had not filled a batch of 64 KiB is lost, and a piece of the network's.
        #expect(start <= cut && start > cut - (64 << 10) - (32 << 10) && start >= 64 << 10)
        #expect(resuming.files() == [])
        gate.open()
    }

    @Test(arguments: 3...9)
    func `a killed process leaves nothing that a lying server could turn into another image`(
        tenths: Int
    ) async throws {
        let resuming = try Resuming()
        let (image, gate, count) = (resuming.image, Gate(), CallCounter())
        let lies = `A download that breaks off`.Lie.allCases
        let first = resuming.whole().hold(.byte(image.count * tenths / 10), until: gate)
        resuming.server.route("/a") { request in
            let number = count.increment()
            guard let range = request.header("Range"), let start = Int(range.dropFirst(6).dropLast()) else {
                return number == 1 ? first : Resuming.rest(request, of: image)
            }
            return lies[(tenths * 2 + number) % lies.count].reply(image, from: start)
        }
        let path = resuming.folder.file("partial").path
        let cut = image.count * tenths / 10
        await #expect(throws: BuiltProgram.Failed.self) { try await run(resuming, killedAfter: cut) }
        #expect(!FileManager.default.fileExists(atPath: path + ".image"))
        try await run(resuming, killedAfter: .max)
        #expect(try Data(contentsOf: URL(fileURLWithPath: path + ".image")) == Data(image))
        #expect(resuming.server.requestCount() == 3 && resuming.files() == [])
        gate.open()
    }

    /// Downloads in another process, which is killed once so many bytes have arrived.
    private func run(_ resuming: Resuming, killedAfter bytes: Int) async throws {
        let arguments = [
            "download", resuming.url.absoluteString, resuming.folder.file("partial").path, "\(bytes)",
        ]
        _ = try await BuiltProgram.output(of: "DiskTrials", arguments, in: resuming.folder)
    }
}
