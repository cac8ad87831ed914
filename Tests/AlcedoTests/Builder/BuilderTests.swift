import Alcedo
import AlcedoTestSupport
import Foundation
import FoundationNetworking
import Testing

@testable import EngineFixtures

@MainActor @Suite(.timeLimit(.minutes(10)))
struct `The builder` {
    private let url = URL(filePath: "/a.png")

    @Test func `the builder sets each option`() throws {
        let cache = try ImageCache(name: "builder", cacheDirectoryURL: TemporaryDirectory().url)
        let downloader = ImageDownloader(name: "builder")
        let other = Source.network(URL(string: "http://127.0.0.1/b.png")!)
        let options = KF.url(url)
            .targetCache(cache).originalCache(cache).downloader(downloader).downloadPriority(0.9)
            .forceRefresh().fromMemoryCacheOrRefresh().cacheMemoryOnly().waitForCache().onlyFromCache()
            .backgroundDecode().callbackQueue(.untouch).scaleFactor(2).cacheOriginalImage()
            .diskStoreWriteOptions(.atomic).loadDiskFileSynchronously().processingQueue(.mainAsync)
            .alternativeSources([other]).retry(maxCount: 3, interval: .seconds(1)).lowDataModeSource(other)
            .forceTransition().keepCurrentImageWhileLoading().onlyLoadFirstFrame()
            .memoryCacheExpiration(.seconds(1)).memoryCacheAccessExtending(.none)
            .diskCacheExpiration(.days(1)).diskCacheAccessExtending(.none)
            .progressiveJPEG().onFailureImage(nil).reportProgressOfUnknownSize()
            .showCachedVariantWhileLoading().showDesktopThumbnailWhileLoading().useCachedIntermediates()
            .observers([EventRecorder()]).interceptors([Interceptor { try await $1($0) }])
            .networkInterceptors([Interceptor { try await $1($0) }])
            .options
        #expect(options.targetCache === cache && options.originalCache === cache)
        #expect(options.downloader === downloader)
        #expect(options.downloadPriority == 0.9)
        #expect(options.forceRefresh && options.fromMemoryCacheOrRefresh && options.cacheMemoryOnly)
        #expect(options.waitForCache && options.onlyFromCache && options.backgroundDecode)
        #expect(options.scaleFactor == 2)
        #expect(options.cacheOriginalImage && options.loadDiskFileSynchronously)
        #expect(options.diskStoreWriteOptions == .atomic)
        #expect(options.alternativeSources == [other])
        #expect((options.retryStrategy as? DelayRetryStrategy)?.maxRetryCount == 3)
        #expect(options.lowDataModeSource == other)
        #expect(options.forceTransition && options.keepCurrentImageWhileLoading && options.onlyLoadFirstFrame)
        #expect(options.progressiveJPEG?.isFastestScan == true)
        #expect(options.onFailureImage != nil && options.reportProgressOfUnknownSize)
        #expect(options.showCachedVariantWhileLoading && options.useCachedIntermediates)
        #expect(options.showDesktopThumbnailWhileLoading)
        #expect(options.observers.count == 1)
        #expect(options.interceptors.count == 1 && options.networkInterceptors.count == 1)
        guard case .seconds(1)? = options.memoryCacheExpiration, case .days(1)? = options.diskCacheExpiration,
            case .none = options.memoryCacheAccessExtendingExpiration,
            case .none = options.diskCacheAccessExtendingExpiration, case .untouch = options.callbackQueue,
            case .mainAsync? = options.processingQueue
        else {
            Issue.record("an expiration or a queue is not what was set")
            return
        }
    }

    @Test func `the builder loads an image without a view`() async throws {
        let loading = try Loading()
        loading.server.serve("/a", try Sample.png(40, 20))
        let builder = KF.url(loading.server.url("/a")).targetCache(loading.cache).downloader(
            loading.downloader
        )
        .downsampling(size: CGSize(width: 10, height: 10))
        let result = try await builder.retrieveImage()
        #expect(result.image.pixelSize == PixelSize(width: 10, height: 5) && result.cacheType == .none)
        #expect(try await builder.retrieveImage().cacheType == .memory)
        #expect(loading.server.requestCount() == 1)
        do {
            _ = try await KF.url(nil).retrieveImage()
            Issue.record("no source was loaded")
        } catch {
            #expect((error as? KingfisherError)?.errorCode == 5001)
        }
    }

    @Test func `the builder turns an option off again`() {
        let options = KF.url(url).forceRefresh().forceRefresh(false).options
        #expect(!options.forceRefresh)
        #expect(options.onFailureImage == nil)
    }

    @Test func `a call of the builder changes the builder itself and returns it`() {
        let builder = KF.url(url)
        #expect(builder.forceRefresh() === builder)
        #expect(builder.options.forceRefresh)
    }

    @Test func `the builder appends processors, the first in place of the default one`() {
        let resize = ResizingImageProcessor(referenceSize: CGSize(width: 10, height: 10))
        let round = RoundCornerImageProcessor(radius: .point(2))
        #expect(KF.url(url).options.processor.identifier.isEmpty)
        let one = KF.url(url).resizing(referenceSize: CGSize(width: 10, height: 10))
        #expect(one.options.processor.identifier == resize.identifier)
        let two = one.roundCorner(radius: .point(2))
        #expect(two.options.processor.identifier == (resize |> round).identifier)
        #expect(two.setProcessor(round).options.processor.identifier == round.identifier)
        #expect(
            two.setProcessors([round, resize]).options.processor.identifier == (round |> resize).identifier)
        #expect(two.setProcessors([]).options.processor.identifier.isEmpty)
    }

    @Test func `the builder makes request modifiers of blocks`() async throws {
        let options = KF.url(url).requestModifier { $0.setValue("1", forHTTPHeaderField: "X-One") }.options
        let request = try #require(await options.requestModifier?.modified(for: URLRequest(url: url)))
        #expect(request.value(forHTTPHeaderField: "X-One") == "1")
    }

    @Test func `the builder makes image modifiers of blocks, and ignores one that throws`() throws {
        struct Refusal: Error {}
        let image = Image(bitmap: try Sample.bitmap(2, 2))
        let other = Image(bitmap: try Sample.bitmap(3, 3))
        let replaced = KF.url(url).imageModifier { $0 = other }.options.imageModifier
        #expect(replaced?.modify(image) === other)
        let refusing = KF.url(url).imageModifier { _ in throw Refusal() }.options.imageModifier
        #expect(refusing?.modify(image) === image)
    }

    @Test func `the builder's delegates call its blocks for progress, failure and success`() throws {
        let heard = Recorder<String>()
        let builder = KF.url(url)
            .onProgress { heard.append("\($0) of \($1)") }
            .onFailure { heard.append("\($0.errorCode)") }
            .onSuccess { heard.append($0.source.cacheKey) }
        let image = Image(bitmap: try Sample.bitmap(2, 2))
        builder.onProgressDelegate((1, 2))
        builder.onFailureDelegate(.requestError(reason: .emptyRequest))
        builder.onSuccessDelegate(
            RetrieveImageResult(
                image: image, cacheType: .none, source: .network(url), originalSource: .network(url),
                data: { nil }))
        #expect(heard.values == ["1 of 2", "1001", url.cacheKey])
    }

    @Test func `an image is stored in the format that the builder is told`() throws {
        let image = Image(bitmap: try Sample.bitmap(2, 2))
        let stored = KF.url(url).serialize(as: .JPEG, jpegCompressionQuality: 0.5).options
        #expect(stored.cacheSerializer.data(with: image, original: nil)?.kf.imageFormat == .JPEG)
        let png = KF.url(url).serialize(as: .PNG).options
        #expect(png.cacheSerializer.data(with: image, original: nil)?.kf.imageFormat == .PNG)
        let jpeg = Data(try Sample.jpeg(2, 2))
        let unknown = KF.url(url).serialize(as: .unknown).options.cacheSerializer
        #expect(unknown.data(with: try Image(decoding: jpeg), original: jpeg)?.kf.imageFormat == .PNG)
    }
}
