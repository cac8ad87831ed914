import Foundation
import FoundationNetworking

/// Loads what a ``KFImage`` declares into a view, as the view appears and disappears.
@MainActor
package final class ImageBinder {
    private enum Phase {
        /// The next appearance starts a load.
        case waiting
        case loading
        /// The appearance after the next disappearance starts a load.
        case failed
        /// A further load would not change what the view shows.
        case ended
    }

    private weak var view: ImageView?

    /// Whether the view is a list's cell: always resizable, and loading only while it is visible.
    private let isCell: Bool

    private var settings: KFImage.Settings?
    private var placeholder: (any Placeholder)?
    private var phase = Phase.waiting

    /// Called when a cell appears that has no load, as the list starts it.
    package var appeared: (@MainActor () -> Void)?

    /// Called after each load that has succeeded or failed.
    package var ended: (@MainActor () -> Void)?

    /// The number of the latest load; results of earlier ones don't change the phase.
    private var load = 0

    /// Creates a binder without an image, for a view that owns it.
    package init(_ view: ImageView, isCell: Bool = false) {
        self.view = view
        self.isCell = isCell
    }

    /// Shows another image instead of the present one, or its placeholder until it is loaded.
    ///
    /// `configure` may change the view; it runs after its properties are set and before anything is shown.
    package func bind(_ settings: KFImage.Settings, configure: () -> Void) {
        guard let view else { return }
        unbind()
        self.settings = settings
        view.contentMode = settings.contentMode
        view.surface.setResizable(settings.isResizable || isCell)
        view.accessibilityLabel = settings.accessibilityLabel
        configure()
        placeholder = settings.placeholder?()
        let startsNow = view.surface.isVisible || settings.startsBeforeAppearing
        if isCell ? isInMemory(settings) : startsNow { start() } else { show(placeholder) }
    }

    /// Cancels the load and shows nothing; nothing of the image appears afterwards.
    package func unbind() {
        guard settings != nil, let view else { return }
        cancel()
        view.setting.current.value = nil
        phase = .waiting
        // Interrupts a running transition.
        view.surface.transition(ViewTransition(.none, duration: 0), changes: { show(nil) }) { _ in }
        settings = nil
        placeholder = nil
    }

    /// Cancels the load, whose completion fails; the next appearance starts it again.
    package func cancel() {
        guard phase == .loading else { return }
        phase = .waiting
        load += 1
        view?.setting.cancel()
    }

    package var isLoading: Bool { phase == .loading }

    /// Starts a load that has failed again, and shows the placeholder meanwhile.
    package func retry() {
        guard phase == .failed, settings != nil else { return }
        show(placeholder)
        start()
    }

    /// Starts the load of a cell that is visible after layout; GTK maps cells for a moment before it.
    package func startIfVisible() {
        if phase == .waiting, settings != nil, view?.surface.isVisible == true { start() }
    }

    /// Whether a load would end at once, with an image of the memory cache.
    private func isInMemory(_ settings: KFImage.Settings) -> Bool {
        guard let source = settings.source, let view else { return false }
        let options = settings.options.reducing(for: view.pixelSize)
        let manager = KingfisherManager.shared
        let cache = options.targetCache ?? manager.cache
        guard !options.forceRefresh, options.interceptors.isEmpty, manager.hooks.interceptors.values.isEmpty,
            let image = cache.retrieveImageInMemoryCache(forKey: source.cacheKey, options: options)
        else { return false }
        return image.pixels(drawnAt: view.drawnSize(of: image)) != nil
    }

    func visibilityDidChange(_ isVisible: Bool) {
        guard let settings else { return }
        if !isVisible, phase == .failed { phase = .waiting }
        if isVisible, phase == .waiting {
            if isCell { appeared?() } else { start() }
            return
        }
        guard phase == .loading else { return }
        if !isVisible, settings.cancelsOnDisappear || isCell { return cancel() }
        if settings.reducesPriorityOnDisappear {
            let priority = settings.options.downloadPriority
            view?.setting.task?.priority = isVisible ? priority : min(priority, URLSessionTask.lowPriority)
        }
    }

    private func start() {
        guard let settings, let view else { return }
        phase = .loading
        load += 1
        let number = load
        _ = view.kf.setImage(
            with: settings.source,
            placeholder: placeholder,
            parsedOptions: settings.options,
            progressBlock: { [onProgress = settings.onProgress] in onProgress.call(($0, $1)) },
            completionHandler: { [weak self] result in
                self?.finish(result, of: number)
                switch result {
                case .success(let value): settings.onSuccess.call(value)
                case .failure(let error): settings.onFailure.call(error)
                }
            }
        )
    }

    private func finish(_ result: Result<RetrieveImageResult, KingfisherError>, of number: Int) {
        guard number == load, let settings else { return }
        guard case .failure(let error) = result else {
            phase = .ended
            ended?()
            return
        }
        guard !error.isTaskCancelled, !error.isNotCurrentTask else { return phase = .waiting }
        // A hidden view has disappeared already.
        phase = settings.source == nil ? .ended : view?.surface.isVisible == true ? .failed : .waiting
        ended?()
        guard let make = settings.failureView else { return }
        show(nil)
        show(make())
    }

    private func show(_ placeholder: (any Placeholder)?) {
        guard let view, let settings else { return }
        ImageViewTarget(base: view).setPlaceholder(placeholder, options: settings.options)
    }
}
