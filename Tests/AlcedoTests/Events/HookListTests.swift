import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import EngineFixtures

struct `A manager's list of observers` {
    @Test func `a manager keeps all observers and interceptors that threads append at once`() throws {
        let manager = try Loading().manager
        DispatchQueue.concurrentPerform(iterations: 2_000) { _ in
            manager.observers.append(EventRecorder())
            manager.interceptors.append(Interceptor { request, next in try await next(request) })
        }
        #expect(manager.observers.values.count == 2_000)
        #expect(manager.interceptors.values.count == 2_000)
    }

    @Test func `a manager's list of observers lets observers be removed and replaced`() throws {
        let list = LoadHookList<any ImageLoadObserver>()
        let (first, second) = (EventRecorder(), EventRecorder())
        list.append(first)
        list.append(second)
        list.removeAll { ($0 as? EventRecorder) === first }
        #expect(list.values.count == 1)
        list.replace(with: [first, second, first])
        #expect(list.values.count == 3)
    }
}

struct `A registry of loaders` {
    private struct Nothing: ImageLoader {
        func source(for url: URL) -> Source? { nil }
    }

    @Test func `a registry of loaders lets loaders be removed, by type and by scheme`() throws {
        let registry = ImageLoaderRegistry()
        registry.register(Nothing())
        registry.register(scheme: "Asset") { .network($0) }
        let (asset, other) = (
            try #require(URL(string: "asset:a")), try #require(URL(string: "other:a"))
        )
        #expect(registry.hasLoader(for: asset) && registry.hasLoader(for: other))
        registry.removeAll { $0 is Nothing }
        #expect(registry.hasLoader(for: asset) && !registry.hasLoader(for: other))
        registry.removeAll(scheme: "asset")
        #expect(!registry.hasLoader(for: asset))
    }
}
