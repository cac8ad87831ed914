/// What a control is doing, where Kingfisher's API names UIKit's type.
public enum UIControl {
    /// What a control is doing; several at once, or nothing of that.
    public struct State: OptionSet, Hashable, Sendable {
        /// UIKit's numbers.
        public let rawValue: UInt

        /// Makes a state of UIKit's numbers.
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// Nothing special.
        public static let normal: State = []
        /// Pressed.
        public static let highlighted = State(rawValue: 1 << 0)
        /// Not to be pressed.
        public static let disabled = State(rawValue: 1 << 1)
        /// Chosen.
        public static let selected = State(rawValue: 1 << 2)
        /// Reached by the keyboard.
        public static let focused = State(rawValue: 1 << 3)
    }
}

/// A button with an image and a background image for each of its states.
///
/// A state without an image of its own shows that of the normal state.
@preconcurrency @MainActor
open class KFCrossPlatformButton: KFCrossPlatformView, KingfisherCompatible {
    /// Which of the two images.
    enum Slot: Hashable {
        case image
        case background
    }

    private struct Key: Hashable {
        var slot: Slot
        var state: UIControl.State
    }

    /// What the button is doing; whoever makes the button keeps it up to date.
    open var state = UIControl.State.normal {
        didSet { if state != oldValue { show() } }
    }

    private var images: [Key: KFCrossPlatformImage] = [:]
    private var settings: [Key: ImageSettingState] = [:]

    /// Makes a button of what a toolkit draws.
    public override init(surface: any ViewSurface) { super.init(surface: surface) }

    /// Sets the image of a state.
    open func setImage(_ image: KFCrossPlatformImage?, for state: UIControl.State) {
        set(image, .image, state)
    }

    /// Sets the background image of a state.
    open func setBackgroundImage(_ image: KFCrossPlatformImage?, for state: UIControl.State) {
        set(image, .background, state)
    }

    /// The image that a state shows.
    open func image(for state: UIControl.State) -> KFCrossPlatformImage? { image(.image, state) }

    /// The background image that a state shows.
    open func backgroundImage(for state: UIControl.State) -> KFCrossPlatformImage? {
        image(.background, state)
    }

    /// What `kf` knows of one of the images.
    func setting(_ slot: Slot, _ state: UIControl.State) -> ImageSettingState {
        let key = Key(slot: slot, state: state)
        if let setting = settings[key] { return setting }
        let setting = ImageSettingState()
        settings[key] = setting
        return setting
    }

    /// What `kf` knows of all images of one kind.
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
