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

    /// Those of objects that have no place for one.
    static let ofOthers = ObjectTable { ImageSettingState() }

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
