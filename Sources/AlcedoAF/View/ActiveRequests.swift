public import Alcedo
import Foundation
import FoundationNetworking

/// The state of `af` for one view: its downloader and the active request of each slot.
@MainActor
final class ActiveRequests {
    struct Active {
        let id: String
        let url: URL?
        var receipt: RequestReceipt?
    }

    /// One image of a view.
    enum Slot: Hashable {
        case image(UIControl.State)
        case background(UIControl.State)
    }

    private static let ofViews = ObjectTable { ActiveRequests() }

    /// The state of `af` for `view`.
    static func of(_ view: KFCrossPlatformView) -> ActiveRequests { ofViews[view] }

    var downloader: ImageDownloader?
    private var active: [Slot: Active] = [:]

    func isLoading(_ url: URL?, in slot: Slot) -> Bool {
        guard let url, let activeURL = active[slot]?.url else { return false }
        return activeURL.absoluteString == url.absoluteString
    }

    /// Whether a request is still the active one of a slot.
    func isCurrent(_ id: String, in slot: Slot) -> Bool { active[slot]?.id == id }

    func start(_ id: String, url: URL?, in slot: Slot) { active[slot] = Active(id: id, url: url) }

    func setReceipt(_ receipt: RequestReceipt?, of id: String, in slot: Slot) {
        if active[slot]?.id == id { active[slot]?.receipt = receipt }
    }

    func finish(in slot: Slot) { active[slot] = nil }

    func cancel(in slot: Slot, _ downloader: ImageDownloader) {
        guard let receipt = active.removeValue(forKey: slot)?.receipt else { return }
        downloader.cancelRequest(with: receipt)
    }
}

/// An image request of an image view or a button.
@MainActor
struct ImageRequest {
    typealias Completion = @MainActor @Sendable (AFIDataResponse<Image>) -> Void

    let request: any URLRequestConvertible
    let cacheKey: String?
    let serializer: ImageResponseSerializer?
    let filter: (any ImageFilter)?
    let progress: ImageDownloader.ProgressHandler?
    let progressQueue: DispatchQueue
    let completion: Completion?

    /// Loads an image into a slot of a view.
    ///
    /// `showCached` shows an image from memory, and calls its closure when it has finished; `show` shows a downloaded one.
    func start(
        _ requests: ActiveRequests,
        in slot: ActiveRequests.Slot,
        with downloader: ImageDownloader,
        showCached: (
            Image, _ isCurrent: @escaping @MainActor @Sendable () -> Bool,
            _ done: @escaping @MainActor @Sendable () -> Void
        ) -> Void,
        showPlaceholder: () -> Void,
        show: @escaping @MainActor @Sendable (Image) -> Void
    ) {
        let request = request.urlRequest
        if requests.isLoading(request?.url, in: slot) {
            completion?(AFIDataResponse(to: request, .failure(.requestCancelled)))
            return
        }
        requests.cancel(in: slot, downloader)
        let id = UUID().uuidString
        requests.start(id, url: request?.url, in: slot)
        if let request,
            let image = downloader.imageCache?.image(
                forKey: ImageCacheKey(request: request, key: cacheKey, filter: filter))
        {
            let response = AFIDataResponse(to: request, .success(image))
            showCached(image, { requests.isCurrent(id, in: slot) }) { [completion] in
                if requests.isCurrent(id, in: slot) { requests.finish(in: slot) }
                completion?(response)
            }
            return
        }
        showPlaceholder()
        let receipt = downloader.download(
            request ?? self.request,
            cacheKey: cacheKey,
            receiptID: id,
            serializer: serializer,
            filter: filter,
            progress: progress,
            progressQueue: progressQueue
        ) { [completion] response in
            if requests.isCurrent(id, in: slot) {
                requests.finish(in: slot)
                if case .success(let image) = response.result { show(image) }
            }
            completion?(response)
        }
        requests.setReceipt(receipt, of: id, in: slot)
    }
}

extension URLRequest {
    /// A request for `url` with an `Accept` field of the acceptable image types.
    init(imageAt url: URL) {
        self.init(url: url)
        for type in ImageResponseSerializer.acceptableImageContentTypes.sorted() {
            addValue(type, forHTTPHeaderField: "Accept")
        }
    }
}

extension KFCrossPlatformView: AlamofireExtended {}

extension AlamofireExtension where ExtendedType: KFCrossPlatformView {
    /// The downloader of this view; nil, the default, for `sharedImageDownloader`.
    @preconcurrency @MainActor
    public var imageDownloader: ImageDownloader? {
        get { ActiveRequests.of(type).downloader }
        nonmutating set { ActiveRequests.of(type).downloader = newValue }
    }
}
