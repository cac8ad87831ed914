import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import AlcedoCaches
@testable import EngineFixtures

/// Records the threads that have found an image.
private struct LookupThreads: ImageLoadObserver {
    let names = Recorder<String>()

    func imageLoad(didReach event: ImageLoadEvent) {
        if case .cacheLookedUp = event.stage { names.append(Thread.current.name ?? "") }
    }
}

extension `A shared cache` {
    @Test func `a shared cache decodes nothing on the threads of the program's serializer`() async throws {
        try await fleet.load("/a.png")
        let (serializing, lookups) = (Recorder<String>(), LookupThreads())
        let serializer = InterruptedSerializer { serializing.append(Thread.current.name ?? "") }
        let options: KingfisherOptionsInfo = [
            .cacheSerializer(serializer), .observers([lookups]), .backgroundDecode,
        ]
        #expect(try await fleet.load("/a.png", on: 1, options).tier == .shared)
        #expect(
            serializing.values.count == 1 && serializing.values.allSatisfy { $0.hasPrefix("alcedo-image-") })
        #expect(
            lookups.names.values.count == 1 && lookups.names.values.allSatisfy { $0.hasPrefix("alcedo-cpu-") }
        )
    }
}
