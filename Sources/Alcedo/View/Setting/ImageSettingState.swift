import AlcedoLocks

/// The state of `kf` for one image of a view.
@MainActor
final class ImageSettingState {
    /// The identifier of the view's current load; thread-safe.
    final class Current: Sendable {
        private let identifier = Lock<Source.Identifier.Value?>(nil)

        var value: Source.Identifier.Value? {
            get { identifier.withLock { $0 } }
            set { identifier.withLock { $0 = newValue } }
        }
    }

    /// The states of objects that cannot store one.
    static let ofOtherObjects = ObjectTable { ImageSettingState() }

    private static var lastIdentifier: Source.Identifier.Value = 0

    let current = Current()
    var task: DownloadTask?
    var placeholder: (any Placeholder)?
    var indicatorType = IndicatorType.none
    var indicator: (any Indicator)?

    nonisolated init() {}

    /// A unique number for a load.
    static func nextIdentifier() -> Source.Identifier.Value {
        lastIdentifier += 1
        return lastIdentifier
    }
}
