import AlcedoAF
import AlcedoTestSupport
import AlcedoTesting
import Foundation
import FoundationNetworking
import Testing

@MainActor @Suite(.timeLimit(.minutes(10)))
struct `An image view of AlamofireImage's` {
    let loading: AFLoading
    let surface = HeadlessSurface()
    let view: ImageView
    let gate = Gate()
    let responses = AFRecorder()
    let placeholder: Image

    init() throws {
        loading = try AFLoading()
        view = ImageView(surface: surface)
        view.af.imageDownloader = loading.downloader
        placeholder = Image(bitmap: try .make(1, 1) { _, _ in blue })
    }

    private func set(
        _ path: String, filter: (any ImageFilter)? = nil,
        _ transition: ImageView.ImageTransition = .noTransition, ifCached: Bool = false
    ) {
        view.af.setImage(
            withURL: loading.server.url(path), placeholderImage: placeholder, filter: filter,
            imageTransition: transition, runImageTransitionIfCached: ifCached,
            completion: { [responses] in responses.append($0) })
    }

    @Test func `a view shows a placeholder, and then the image`() async throws {
        try loading.serve("/a", until: gate)
        set("/a")
        #expect(view.image === placeholder)
        gate.open()
        await responses.waitFor(count: 1)
        #expect(view.image?.pixelSize.width == 6)
        #expect(surface.transitions.isEmpty)
        let accept =
            loading.server.requests().first?.header("accept")?.split(separator: ",").map(String.init) ?? []
        #expect(accept == accept.sorted())
        #expect(accept.contains("image/webp"))
    }

    @Test func `a view shows what memory has before the call returns`() async throws {
        try loading.serve("/a")
        set("/a")
        await responses.waitFor(count: 1)
        view.image = nil
        set("/a", .crossDissolve(0.1))
        #expect(view.image?.pixelSize.width == 6)
        #expect(responses.count == 2)
        #expect(surface.transitions.isEmpty)
        #expect(
            !surface.shown.contains { $0 === placeholder && $0 != nil }
                || surface.shown.last??.pixelSize.width == 6)
    }

    @Test func `a view runs its transition to an image in memory, if that is wanted`() async throws {
        try loading.serve("/a")
        set("/a")
        await responses.waitFor(count: 1)
        set("/a", .flipFromTop(0.1), ifCached: true)
        #expect(view.image === placeholder)
        #expect(responses.count == 1)
        await responses.waitFor(count: 2)
        #expect(view.image?.pixelSize.width == 6)
        #expect(surface.transitions.map(\.transition.style) == [.flipFromTop])
    }

    @Test func `a view does not load again what it already loads`() async throws {
        try loading.serve("/a", until: gate)
        set("/a")
        view.image = nil
        set("/a")
        #expect(responses.values.first?.error?.isRequestCancelledError == true)
        #expect(view.image == nil)
        gate.open()
        await responses.waitFor(count: 2)
        #expect(view.image?.pixelSize.width == 6)
        #expect(loading.server.requestCount() == 1)
    }

    @Test func `a view never shows an image that it no longer loads`() async throws {
        try loading.serve("/old", width: 2, until: gate)
        try loading.serve("/new", width: 8)
        set("/old")
        await gate.waitForArrivals(1)
        set("/new")
        let both = await responses.waitFor(count: 2)
        #expect(both.filter { $0.error?.isRequestCancelledError == true }.count == 1)
        #expect(view.image?.pixelSize.width == 8)
        // While the reply is held, so that it can't have been sent before the server notices the cancellation.
        await loading.server.waitForAbandonedReplies(1)
        gate.open()
        #expect(!surface.shown.contains { $0?.pixelSize.width == 2 })
    }

    @Test func `a view can load the same again after it was cancelled`() async throws {
        try loading.serve("/a", until: gate)
        set("/a")
        view.af.cancelImageRequest()
        #expect(await responses.waitFor(count: 1)[0].error?.isRequestCancelledError == true)
        #expect(view.image === placeholder)
        set("/a")
        gate.open()
        await responses.waitFor(count: 2)
        #expect(view.image?.pixelSize.width == 6)
    }

    @Test func `a view runs its transition, and reports its end`() async throws {
        surface.holdsTransitions = true
        try loading.serve("/a")
        let ends = Recorder<Bool>()
        set(
            "/a",
            .custom(
                duration: 0.3, animationOptions: [.transitionFlipFromLeft, .curveLinear],
                animations: { $0.image = $1 }, completion: { ends.append($0) }))
        await responses.waitFor(count: 1)
        #expect(ends.count == 0)
        let running = try #require(surface.transitions.first)
        #expect(running.transition == .init(.flipFromLeft, duration: 0.3, curve: .linear))
        running.completion(true)
        #expect(ends.values == [true])
        #expect(view.image?.pixelSize.width == 6)
    }

    @Test func `a view knows all transitions`() {
        let image = placeholder
        let transitions: [ImageView.ImageTransition] = [
            .crossDissolve(1), .curlDown(2), .curlUp(3), .flipFromBottom(4), .flipFromLeft(5),
            .flipFromRight(6),
            .flipFromTop(7), .noTransition,
        ]
        for transition in transitions { view.af.run(transition, with: image) }
        #expect(surface.transitions.map(\.transition.duration) == [1, 2, 3, 4, 5, 6, 7])
        #expect(
            surface.transitions.map(\.transition.style) == [
                .crossDissolve, .flipFromTop, .flipFromBottom, .flipFromBottom, .flipFromLeft, .flipFromRight,
                .flipFromTop,
            ])
        #expect(transitions.map(\.duration) == [1, 2, 3, 4, 5, 6, 7, 0])
        #expect(transitions.last?.animationOptions == [])
        #expect(view.image === image)
    }

    @Test func `a view uses the shared downloader without one of its own`() async throws {
        #expect(ImageView.af.sharedImageDownloader === ImageDownloader.default)
        let request = try loading.serve("/a")
        view.af.imageDownloader = nil
        // Only until the call has returned, so that no other test on the main actor sees it.
        ImageView.af.sharedImageDownloader = loading.downloader
        set("/a")
        ImageView.af.sharedImageDownloader = .default
        #expect(await responses.waitFor(count: 1)[0].error == nil)
        #expect(loading.cache.image(for: request) != nil)
    }

    @Test func `a view reports what fails, and keeps its placeholder`() async throws {
        set("/none")
        #expect(await responses.waitFor(count: 1)[0].error?.isAlamofireError == true)
        #expect(view.image === placeholder)
        struct Broken: URLRequestConvertible {
            func asURLRequest() throws -> URLRequest { throw CocoaError(.coderInvalidValue) }
        }
        view.af.setImage(withURLRequest: Broken(), completion: { [responses] in responses.append($0) })
        #expect(await responses.waitFor(count: 2)[1].error?.isAlamofireError == true)
    }

    @Test func `a view is not kept alive by its load`() async throws {
        let request = try loading.serve("/a", until: gate)
        weak var left: ImageView?
        do {
            let view = ImageView(surface: HeadlessSurface())
            view.af.imageDownloader = loading.downloader
            view.af.setImage(withURLRequest: request, completion: { [responses] in responses.append($0) })
            left = view
        }
        #expect(left == nil)
        gate.open()
        #expect(await responses.waitFor(count: 1)[0].value != nil)
    }
}

@MainActor @Suite(.timeLimit(.minutes(10)))
struct `A button of AlamofireImage's` {
    let loading: AFLoading
    let surface = HeadlessSurface()
    let button: Button
    let gate = Gate()
    let responses = AFRecorder()

    init() throws {
        loading = try AFLoading()
        button = Button(surface: surface)
        button.af.imageDownloader = loading.downloader
    }

    @Test func `a button loads an image and a background for each state, from one URL too`() async throws {
        try loading.serve("/a", until: gate)
        let url = loading.server.url("/a")
        for state in [ControlState.normal, .selected] {
            button.af.setImage(for: state, url: url, completion: { [responses] in responses.append($0) })
            button.af.setBackgroundImage(
                for: state, url: url, completion: { [responses] in responses.append($0) })
        }
        button.af.setImage(for: .normal, url: url, completion: { [responses] in responses.append($0) })
        button.af.setBackgroundImage(
            for: .normal, url: url, completion: { [responses] in responses.append($0) })
        #expect(responses.values.map { $0.error?.isRequestCancelledError } == [true, true])
        gate.open()
        await responses.waitFor(count: 6)
        #expect(responses.values.filter { $0.value != nil }.count == 4)
        for state in [ControlState.normal, .selected] {
            #expect(button.image(for: state)?.pixelSize.width == 6)
            #expect(button.backgroundImage(for: state)?.pixelSize.width == 6)
        }
        #expect(loading.server.requestCount() == 1)
    }

    @Test func `a button cancels one of its images and not the others`() async throws {
        let request = try loading.serve("/a", until: gate)
        let placeholder = Image(bitmap: try .make(1, 1) { _, _ in blue })
        button.af.setImage(
            for: .normal, urlRequest: request, placeholderImage: placeholder,
            completion: { [responses] in responses.append($0) })
        button.af.setBackgroundImage(
            for: .normal, urlRequest: request, completion: { [responses] in responses.append($0) })
        #expect(button.image(for: .normal) === placeholder)
        button.af.cancelImageRequest(for: .normal)
        button.af.cancelBackgroundImageRequest(for: .selected)
        #expect(await responses.waitFor(count: 1)[0].error?.isRequestCancelledError == true)
        gate.open()
        await responses.waitFor(count: 2)
        #expect(button.image(for: .normal) === placeholder)
        #expect(button.backgroundImage(for: .normal)?.pixelSize.width == 6)
        button.af.setImage(for: .highlighted, urlRequest: request)
        #expect(button.image(for: .highlighted)?.pixelSize.width == 6)
    }
}
