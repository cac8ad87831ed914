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

    /// A load whose image may be revalidated in the background.
    struct Revalidation {
        let identifier: Source.Identifier.Value
        var isShown = false

        /// The shown image.
        weak var image: KFCrossPlatformImage?

        /// Handles the result, which came before the stale image was shown.
        var pending: (@MainActor () -> Void)?
    }

    /// The states of objects that cannot store one.
    static let ofOtherObjects = ObjectTable { ImageSettingState() }

    private static var lastIdentifier: Source.Identifier.Value = 0

    let current = Current()
    var task: DownloadTask?

    /// The revalidation of a stale image that the target shows or is about to show.
    private(set) var revalidation: Revalidation?
    var placeholder: (any Placeholder)?
    var indicatorType = IndicatorType.none
    var indicator: (any Indicator)?

    nonisolated init() {}

    /// Cancels the load, and ignores a revalidation.
    func cancel() {
        expect(nil)
        task?.cancel()
    }

    /// Sets the revalidation to expect; the former one's result is not shown any more.
    func expect(_ new: Revalidation?) {
        let pending = revalidation?.pending
        revalidation = new
        pending?()
    }

    /// The target shows the expected revalidation's stale image.
    func show(_ image: KFCrossPlatformImage) {
        revalidation?.isShown = true
        revalidation?.image = image
        revalidation?.pending.take()?()
    }

    /// Delays the expected revalidation's result until the stale image is shown, or another one is expected.
    func delay(_ result: @escaping @MainActor () -> Void) { revalidation?.pending = result }

    /// A unique number for a load.
    static func nextIdentifier() -> Source.Identifier.Value {
        lastIdentifier += 1
        return lastIdentifier
    }
}
