import Alcedo
import Foundation
import FoundationNetworking

/// What `af` knows of one view: its downloader, and what each of its places waits for.
@MainActor
final class ActiveRequests {
    /// A request that a place waits for.
    struct Active {
        let id: String
        let url: URL?
        var receipt: RequestReceipt?
    }

    /// Where an image is shown.
    enum Place: Hashable {
        case image(UIControl.State)
        case background(UIControl.State)
    }

    private static let ofViews = ObjectTable { ActiveRequests() }

    /// What `af` knows of `view`.
    static func of(_ view: KFCrossPlatformView) -> ActiveRequests { ofViews[view] }

    var downloader: ImageDownloader?
    private var active: [Place: Active] = [:]

    /// Whether a place waits for this URL already.
    func isWaiting(for url: URL?, at place: Place) -> Bool {
        guard let url, let waiting = active[place]?.url else { return false }
        return waiting.absoluteString == url.absoluteString
    }

    /// Whether a place still waits for the request of this name.
    func isWaiting(forRequest id: String, at place: Place) -> Bool { active[place]?.id == id }

    func begin(_ id: String, url: URL?, at place: Place) { active[place] = Active(id: id, url: url) }

    func note(_ receipt: RequestReceipt?, of id: String, at place: Place) {
        if active[place]?.id == id { active[place]?.receipt = receipt }
    }

    func end(at place: Place) { active[place] = nil }

    /// Lets a place wait for nothing any more.
    func cancel(at place: Place, _ downloader: ImageDownloader) {
        guard let receipt = active.removeValue(forKey: place)?.receipt else { return }
        downloader.cancelRequest(with: receipt)
    }
}

/// What both kinds of views do with a request.
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

    /// Loads an image for a place of a view.
    ///
    /// - Parameters:
    ///   - requests: what the view waits for.
    ///   - place: where the image is to be shown.
    ///   - downloader: loads it.
    ///   - showCached: shows what memory has, at once, and says when that is done.
    ///   - showPlaceholder: shows what there is to be seen until the image is here.
    ///   - show: shows the image.
    func start(
        _ requests: ActiveRequests,
        at place: ActiveRequests.Place,
        with downloader: ImageDownloader,
        showCached: (
            Image, _ isCurrent: @escaping @MainActor @Sendable () -> Bool,
            _ done: @escaping @MainActor @Sendable () -> Void
        ) -> Void,
        showPlaceholder: () -> Void,
        show: @escaping @MainActor @Sendable (Image) -> Void
    ) {
        let request = request.urlRequest
        if requests.isWaiting(for: request?.url, at: place) {
            completion?(AFIDataResponse(to: request, .failure(.requestCancelled)))
            return
        }
        requests.cancel(at: place, downloader)
        let id = UUID().uuidString
        requests.begin(id, url: request?.url, at: place)
        if let request,
            let image = downloader.imageCache?.image(
                at: CachePlace(request: request, key: cacheKey, filter: filter))
        {
            let response = AFIDataResponse(to: request, .success(image))
            showCached(image, { requests.isWaiting(forRequest: id, at: place) }) { [completion] in
                if requests.isWaiting(forRequest: id, at: place) { requests.end(at: place) }
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
            if requests.isWaiting(forRequest: id, at: place) {
                requests.end(at: place)
                if case .success(let image) = response.result { show(image) }
            }
            completion?(response)
        }
        requests.note(receipt, of: id, at: place)
    }
}

extension URLRequest {
    /// A request for `url` that says which types of images are understood.
    init(imageAt url: URL) {
        self.init(url: url)
        for type in ImageResponseSerializer.acceptableImageContentTypes.sorted() {
            addValue(type, forHTTPHeaderField: "Accept")
        }
    }
}
