import Alcedo
import AlcedoTestSupport
import Foundation

/// Records the events of loads, and runs a block for each.
final class EventRecorder: ImageLoadObserver {
    let events = Recorder<ImageLoadEvent>()
    private let block: @Sendable (ImageLoadEvent) -> Void

    init(_ block: @escaping @Sendable (ImageLoadEvent) -> Void = { _ in }) { self.block = block }

    func imageLoad(didReach event: ImageLoadEvent) {
        block(event)
        events.append(event)
    }

    /// The events of each load by the order of their first events, once so many loads have ended.
    func loads(_ count: Int) async -> [[ImageLoadEvent]] {
        _ = await events.wait { $0.count { $0.stage.isEnd } >= count }
        let events = events.values
        let byLoad = Dictionary(grouping: events, by: \.loadID)
        return byLoad.sorted { $0.key < $1.key }.map(\.value)
    }

    /// The events of the only load, once it has ended.
    func load() async -> [ImageLoadEvent] { await loads(1).first ?? [] }
}

extension [ImageLoadEvent] {
    /// The names of the stages.
    var stages: [String] { map(\.stage.name) }

    /// Whether the last event, and no other, is an end, and the times never decrease.
    var isWellFormed: Bool {
        last?.stage.isEnd == true && !dropLast().contains { $0.stage.isEnd }
            && zip(self, dropFirst()).allSatisfy { $0.time <= $1.time }
            && Set(map(\.loadID)).count == 1
    }
}
