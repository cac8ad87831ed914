import AlcedoLocks

/// What `kf` knows of one image of one view.
@MainActor
final class ImageSettingState {
    /// Which load the view waits for; asked on other threads too.
    final class Current: Sendable {
        private let identifier = Lock<Source.Identifier.Value?>(nil)

        var value: Source.Identifier.Value? {
            get { identifier.withLock { $0 } }
            set { identifier.withLock { $0 = newValue } }
        }
    }

    private static var lastIdentifier: Source.Identifier.Value = 0

    let current = Current()
    var task: DownloadTask?
    var placeholder: (any Placeholder)?
    var indicatorType = IndicatorType.none
    var indicator: (any Indicator)?

    nonisolated init() {}

    /// A number that no other load has.
    static func nextIdentifier() -> Source.Identifier.Value {
        lastIdentifier += 1
        return lastIdentifier
    }
}

/// The states of objects that have no place for one, for as long as these live.
@MainActor
enum ImageSettingTable {
    private struct Entry {
        weak var object: AnyObject?
        var state: ImageSettingState
    }

    private static var entries: [ObjectIdentifier: Entry] = [:]
    private static var sweepAt = 64

    static func state(of object: AnyObject) -> ImageSettingState {
        let key = ObjectIdentifier(object)
        // An object that is gone may have left its address to another.
        if let entry = entries[key], entry.object === object { return entry.state }
        if entries.count >= sweepAt {
            entries = entries.filter { $0.value.object != nil }
            sweepAt = max(64, entries.count * 2)
        }
        let state = ImageSettingState()
        entries[key] = Entry(object: object, state: state)
        return state
    }
}
