import AlcedoAF
import AlcedoTestSupport
import AlcedoTesting
import Foundation
import FoundationNetworking
import Testing

/// Calls what is deprecated from something deprecated, where the compiler does not mind; the protocol lets tests in.
private protocol FormerNames {
    func images(_ image: Image, _ data: Data) -> [Image?]
    @MainActor func load(_ view: ImageView, _ button: Button, _ request: URLRequest, _ image: Image)
}

private struct Caller: FormerNames {
    @available(*, deprecated)
    func images(_ image: Image, _ data: Data) -> [Image?] {
        let size = CGSize(width: 4, height: 3)
        image.af_inflate()
        image.af_inflated = true
        return [
            Image.af_threadSafeImage(with: data), Image.af_threadSafeImage(with: data, scale: 2),
            image.af_imageScaled(to: size), image.af_imageAspectScaled(toFit: size),
            image.af_imageAspectScaled(toFill: size), image.af_imageRounded(withCornerRadius: 1),
            image.af_imageRoundedIntoCircle(), image.af_imageFiltered(withCoreImageFilter: "CIColorInvert"),
            image.af_inflated && image.af_isOpaque && !image.af_containsAlphaComponent ? image : nil,
        ]
    }

    @MainActor @available(*, deprecated)
    func load(_ view: ImageView, _ button: Button, _ request: URLRequest, _ image: Image) {
        guard let url = request.url else { return }
        _ = (ImageView.af_sharedImageDownloader, Button.af_sharedImageDownloader)
        view.af_imageDownloader = button.af_imageDownloader
        view.af_setImage(withURL: url)
        view.af_cancelImageRequest()
        view.run(.noTransition, with: image)
        view.af_setImage(withURLRequest: request, imageTransition: .crossDissolve(0.1))
        button.af_setImage(for: .normal, url: url)
        button.af_cancelImageRequest(for: .normal)
        button.af_setImage(for: .normal, urlRequest: request)
        button.af_setBackgroundImage(for: .normal, url: url)
        button.af_cancelBackgroundImageRequest(for: .normal)
        button.af_setBackgroundImage(for: .normal, urlRequest: request)
    }
}

@Suite(.timeLimit(.minutes(10)))
struct `The names from before AlamofireImage 4` {
    @Test func `AlamofireImage's former names do for images what the new ones do`() throws {
        let image = Image(bitmap: try .make(8, 8) { _, _ in red })
        let caller: any FormerNames = Caller()
        let images = caller.images(image, Data(try Picture.png(6, 4)))
        #expect(images.map { $0?.size.width } == [6, 3, 4, 4, 4, 8, 8, 8, 8])
    }

    @MainActor
    @Test func `AlamofireImage's former names do for views what the new ones do`() async throws {
        let loading = try AFLoading()
        let (surface, image) = (HeadlessSurface(), Image(bitmap: try .make(8, 8) { _, _ in red }))
        let (view, button) = (ImageView(surface: surface), Button(surface: HeadlessSurface()))
        button.af.imageDownloader = loading.downloader
        let gate = Gate()
        let request = try loading.serve("/a", until: gate)
        let caller: any FormerNames = Caller()
        caller.load(view, button, request, image)
        #expect(view.af.imageDownloader === loading.downloader)
        #expect(view.image === image)
        gate.open()
        #expect(await loading.downloader.response(to: request).value != nil)
        await loading.server.waitForReplies(1)
    }
}
