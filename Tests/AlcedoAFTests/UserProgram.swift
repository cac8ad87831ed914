import AlcedoAF
import Foundation
import FoundationNetworking

// Programs as they are written for AlamofireImage, with one import changed. That they compile is the test;
// `ProgramTests` runs some of them.

func loadWithResponseHandler(_ url: String, then done: @escaping @Sendable (CGSize?) -> Void) {
    AF.request(url).responseImage { response in
        debugPrint(response.request as Any, response.response as Any)
        if case .success(let image) = response.result {
            done(image.size)
        } else {
            done(nil)
        }
    }
}

func loadWithConcurrency(_ url: URL) async throws -> Image {
    try await AF.request(url).validate().serializingImage().value
}

func makeDownloader() -> ImageDownloader {
    ImageDownloader(
        configuration: ImageDownloader.defaultURLSessionConfiguration(),
        downloadPrioritization: .fifo,
        maximumActiveDownloads: 4,
        imageCache: AutoPurgingImageCache()
    )
}

func loadWithDownloader(
    _ downloader: ImageDownloader, _ url: URL, then done: @escaping @Sendable (CGSize?) -> Void
) -> RequestReceipt? {
    let urlRequest = URLRequest(url: url)
    let filter = AspectScaledToFillSizeCircleFilter(size: CGSize(width: 10, height: 10))
    return downloader.download(urlRequest, filter: filter) { response in
        if case .success(let image) = response.result {
            done(image.size)
        } else {
            print(response.error?.localizedDescription as Any)
            done(nil)
        }
    }
}

func useCache(_ image: Image, _ url: URL) -> Bool {
    let imageCache = AutoPurgingImageCache(
        memoryCapacity: 100_000_000, preferredMemoryUsageAfterPurge: 60_000_000)
    let urlRequest = URLRequest(url: url)
    imageCache.add(image, withIdentifier: "avatar")
    imageCache.add(image, for: urlRequest, withIdentifier: "circle")
    let cached = imageCache.image(withIdentifier: "avatar")
    let circle = imageCache.image(for: urlRequest, withIdentifier: "circle")
    imageCache.removeImage(withIdentifier: "avatar")
    imageCache.removeImage(for: urlRequest, withIdentifier: "circle")
    imageCache.removeAllImages()
    return cached === image && circle === image && imageCache.memoryUsage == 0
}

func useImages(_ image: Image) -> [Image] {
    let size = CGSize(width: 8, height: 6)
    image.af.inflate()
    return [
        image.af.imageScaled(to: size),
        image.af.imageAspectScaled(toFit: size),
        image.af.imageAspectScaled(toFill: size),
        image.af.imageRounded(withCornerRadius: 2),
        image.af.imageRoundedIntoCircle(),
        image.af.imageFiltered(withCoreImageFilter: "CISepiaTone") ?? image,
        image.af.imageFiltered(withCoreImageFilter: "CIGaussianBlur", parameters: ["inputRadius": 2])
            ?? image,
    ]
}

struct WatermarkFilter: ImageFilter, Sizable, Roundable {
    let size: CGSize
    let radius: CGFloat
    var identifier: String { "WatermarkFilter" }
    var filter: (Image) -> Image {
        { image in image.af.imageScaled(to: self.size) }
    }
}

struct VintageFilter: CoreImageFilter {
    let filterName = "CISepiaTone"
    var parameters: [String: Any] { ["inputIntensity": 0.5] }
}

struct ThumbnailFilter: CompositeImageFilter {
    let filters: [any ImageFilter] = [
        AspectScaledToFillSizeFilter(size: CGSize(width: 8, height: 8)), BlurFilter(blurRadius: 2),
        DynamicImageFilter("nothing") { $0 },
    ]
}

@MainActor
func fill(_ imageView: ImageView, _ button: Button, _ url: URL, _ placeholderImage: Image) {
    imageView.af.setImage(withURL: url)
    imageView.af.setImage(
        withURL: url,
        placeholderImage: placeholderImage,
        filter: AspectScaledToFillSizeWithRoundedCornersFilter(
            size: CGSize(width: 10, height: 10), radius: 20.0),
        imageTransition: .crossDissolve(0.2),
        completion: { response in imageView.isHighlighted = response.value == nil }
    )
    imageView.af.cancelImageRequest()
    imageView.af.run(.flipFromLeft(0.1), with: placeholderImage)
    button.af.setImage(for: .normal, url: url, placeholderImage: placeholderImage)
    button.af.setBackgroundImage(for: [.selected], url: url)
    button.af.cancelImageRequest(for: .normal)
    button.af.cancelBackgroundImageRequest(for: [.selected])
}

final class OwnCache: ImageRequestCache {
    func add(_ image: Image, for request: URLRequest, withIdentifier identifier: String?) {}
    func removeImage(for request: URLRequest, withIdentifier identifier: String?) -> Bool { false }
    func image(for request: URLRequest, withIdentifier identifier: String?) -> Image? { nil }
    func add(_ image: Image, withIdentifier identifier: String) {}
    func removeImage(withIdentifier identifier: String) -> Bool { false }
    func removeAllImages() -> Bool { false }
    func image(withIdentifier identifier: String) -> Image? { nil }
}

func explain(_ error: AFIError) -> String {
    switch error {
    case .requestCancelled: "cancelled"
    case .imageSerializationFailed: "no image"
    case .alamofireError(let error): error.responseCode.map { "status \($0)" } ?? "\(error)"
    }
}

struct Router: URLRequestConvertible {
    let base: URL
    func asURLRequest() throws -> URLRequest {
        try URLRequest(
            url: base, method: .get, headers: [.accept("image/png"), .authorization(bearerToken: "x")])
    }
}
