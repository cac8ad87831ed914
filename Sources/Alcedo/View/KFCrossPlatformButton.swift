/// A namespace that replaces UIKit's type in Kingfisher's API.
public enum UIControl {
    public struct State: OptionSet, Hashable, Sendable {
        // The numbers are UIKit's.
        public let rawValue: UInt

        public init(rawValue: UInt) { self.rawValue = rawValue }

        public static let normal: State = []
        public static let highlighted = State(rawValue: 1 << 0)
        public static let disabled = State(rawValue: 1 << 1)
        public static let selected = State(rawValue: 1 << 2)
        public static let focused = State(rawValue: 1 << 3)
    }
}

/// A button with an image and a background image for each of its states.
///
/// A state without an image shows the image of the normal state.
@preconcurrency @MainActor
open class KFCrossPlatformButton: KFCrossPlatformView, KingfisherCompatible {
    enum Slot: Hashable {
        case image
        case background
    }

    private struct Key: Hashable {
        var slot: Slot
        var state: UIControl.State
    }

    /// The button's present state; the creator of the button updates it.
    open var state = UIControl.State.normal {
        didSet { if state != oldValue { show() } }
    }

    private var images: [Key: KFCrossPlatformImage] = [:]
    private var settings: [Key: ImageSettingState] = [:]

    public override init(surface: any ViewSurface) { super.init(surface: surface) }

    open func setImage(_ image: KFCrossPlatformImage?, for state: UIControl.State) {
        set(image, .image, state)
    }

    open func setBackgroundImage(_ image: KFCrossPlatformImage?, for state: UIControl.State) {
        set(image, .background, state)
    }

    open func image(for state: UIControl.State) -> KFCrossPlatformImage? { image(.image, state) }

    open func backgroundImage(for state: UIControl.State) -> KFCrossPlatformImage? {
        image(.background, state)
    }

    func setting(_ slot: Slot, _ state: UIControl.State) -> ImageSettingState {
        let key = Key(slot: slot, state: state)
        if let setting = settings[key] { return setting }
        let setting = ImageSettingState()
        settings[key] = setting
        return setting
    }

    func settings(_ slot: Slot) -> [ImageSettingState] {
        settings.filter { $0.key.slot == slot }.map(\.value)
    }

    private func image(_ slot: Slot, _ state: UIControl.State) -> KFCrossPlatformImage? {
        images[Key(slot: slot, state: state)] ?? images[Key(slot: slot, state: .normal)]
    }

    private func set(_ image: KFCrossPlatformImage?, _ slot: Slot, _ state: UIControl.State) {
        images[Key(slot: slot, state: state)] = image
        show()
    }

    private func show() {
        surface.show(image(.image, state))
        surface.showBackground(image(.background, state))
    }
}

/// One image of a button, as a target of `kf.setImage`.
struct ButtonTarget: ImageSettingTarget {
    let base: KFCrossPlatformButton
    let slot: KFCrossPlatformButton.Slot
    let controlState: UIControl.State

    var state: ImageSettingState { base.setting(slot, controlState) }
    var preloadsAnimation: Bool { false }
    var isScreen: Bool { true }

    /// The button's size.
    ///
    /// Not its ``pixelSize``: without a size request it is as large as its image, which then has to be decoded whole.
    var viewSize: PixelSize? { base.pixelSize }

    func measure(_ image: KFCrossPlatformImage, then body: @escaping @MainActor (DrawnSize) -> Void) {
        guard let surface = base.surface as? any DrawingSurface else { return body(.all) }
        let then: @MainActor (PixelSize?) -> Void = { size in body(size.map { .pixels($0) } ?? .later) }
        switch slot {
        case .image: surface.measure(image, then: then)
        case .background: surface.measureBackground(image, then: then)
        }
    }

    func image() -> KFCrossPlatformImage? {
        slot == .image ? base.image(for: controlState) : base.backgroundImage(for: controlState)
    }

    func setImage(_ image: KFCrossPlatformImage?, options: KingfisherParsedOptionsInfo) {
        switch slot {
        case .image: base.setImage(image, for: controlState)
        case .background: base.setBackgroundImage(image, for: controlState)
        }
    }

    func setPlaceholder(_ placeholder: (any Placeholder)?, options: KingfisherParsedOptionsInfo) {
        state.placeholder = placeholder
        setImage(placeholder as? KFCrossPlatformImage, options: options)
    }
}

@MainActor
extension KingfisherWrapper where Base: KFCrossPlatformButton {
    /// Loads an image for one of the button's states; the completion is called exactly once, on the main thread.
    @discardableResult
    public func setImage(
        with source: Source?,
        for state: UIControl.State,
        placeholder: KFCrossPlatformImage? = nil,
        options: KingfisherOptionsInfo? = nil,
        progressBlock: DownloadProgressBlock? = nil,
        completionHandler: (@MainActor @Sendable (Result<RetrieveImageResult, KingfisherError>) -> Void)? =
            nil
    ) -> DownloadTask? {
        set(
            .image, source, for: state, placeholder: placeholder, options: .forViews(options),
            progressBlock: progressBlock, completionHandler: completionHandler)
    }

    @discardableResult
    public func setImage(
        with resource: (any Resource)?,
        for state: UIControl.State,
        placeholder: KFCrossPlatformImage? = nil,
        options: KingfisherOptionsInfo? = nil,
        progressBlock: DownloadProgressBlock? = nil,
        completionHandler: (@MainActor @Sendable (Result<RetrieveImageResult, KingfisherError>) -> Void)? =
            nil
    ) -> DownloadTask? {
        set(
            .image, resource?.convertToSource(), for: state, placeholder: placeholder,
            options: .forViews(options),
            progressBlock: progressBlock, completionHandler: completionHandler)
    }

    @discardableResult
    public func setImage(
        with source: Source?,
        for state: UIControl.State,
        placeholder: KFCrossPlatformImage? = nil,
        parsedOptions: KingfisherParsedOptionsInfo,
        progressBlock: DownloadProgressBlock? = nil,
        completionHandler: (@MainActor @Sendable (Result<RetrieveImageResult, KingfisherError>) -> Void)? =
            nil
    ) -> DownloadTask? {
        set(
            .image, source, for: state, placeholder: placeholder, options: parsedOptions,
            progressBlock: progressBlock, completionHandler: completionHandler)
    }

    public func cancelImageDownloadTask() { base.settings(.image).forEach { $0.cancel() } }

    @discardableResult
    public func setBackgroundImage(
        with source: Source?,
        for state: UIControl.State,
        placeholder: KFCrossPlatformImage? = nil,
        options: KingfisherOptionsInfo? = nil,
        progressBlock: DownloadProgressBlock? = nil,
        completionHandler: (@MainActor @Sendable (Result<RetrieveImageResult, KingfisherError>) -> Void)? =
            nil
    ) -> DownloadTask? {
        set(
            .background, source, for: state, placeholder: placeholder, options: .forViews(options),
            progressBlock: progressBlock, completionHandler: completionHandler)
    }

    @discardableResult
    public func setBackgroundImage(
        with resource: (any Resource)?,
        for state: UIControl.State,
        placeholder: KFCrossPlatformImage? = nil,
        options: KingfisherOptionsInfo? = nil,
        progressBlock: DownloadProgressBlock? = nil,
        completionHandler: (@Sendable (Result<RetrieveImageResult, KingfisherError>) -> Void)? = nil
    ) -> DownloadTask? {
        set(
            .background, resource?.convertToSource(), for: state, placeholder: placeholder,
            options: .forViews(options),
            progressBlock: progressBlock, completionHandler: completionHandler)
    }

    public func cancelBackgroundImageDownloadTask() {
        base.settings(.background).forEach { $0.cancel() }
    }

    public func taskIdentifier(for state: UIControl.State) -> Source.Identifier.Value? {
        base.setting(.image, state).current.value
    }

    /// The identifier of a state's current background image load; nil if there is none.
    public func backgroundTaskIdentifier(for state: UIControl.State) -> Source.Identifier.Value? {
        base.setting(.background, state).current.value
    }

    func set(
        _ slot: KFCrossPlatformButton.Slot,
        _ source: Source?,
        for state: UIControl.State,
        placeholder: KFCrossPlatformImage?,
        options: KingfisherParsedOptionsInfo,
        progressBlock: DownloadProgressBlock?,
        completionHandler: (@MainActor @Sendable (Result<RetrieveImageResult, KingfisherError>) -> Void)?
    ) -> DownloadTask? {
        ImageSetting(
            target: ButtonTarget(base: base, slot: slot, controlState: state),
            options: options,
            completion: completionHandler
        )
        .start(source, placeholder: placeholder, progressBlock: progressBlock)
    }
}
