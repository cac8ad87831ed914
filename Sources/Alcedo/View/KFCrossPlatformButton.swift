/// A namespace that replaces UIKit's type in Kingfisher's API.
public enum UIControl {
    /// The state of a control.
    public struct State: OptionSet, Hashable, Sendable {
        /// UIKit's raw value.
        public let rawValue: UInt

        /// Makes a state from UIKit's raw value.
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// None of the other states.
        public static let normal: State = []
        /// Pressed.
        public static let highlighted = State(rawValue: 1 << 0)
        /// Disabled.
        public static let disabled = State(rawValue: 1 << 1)
        /// Selected.
        public static let selected = State(rawValue: 1 << 2)
        /// Has the keyboard focus.
        public static let focused = State(rawValue: 1 << 3)
    }
}

/// A button with an image and a background image for each of its states.
///
/// A state without an image shows the image of the normal state.
@preconcurrency @MainActor
open class KFCrossPlatformButton: KFCrossPlatformView, KingfisherCompatible {
    /// The image or the background image.
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

    /// Makes a button on a toolkit's surface.
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

    /// The state of `kf` for one image.
    func setting(_ slot: Slot, _ state: UIControl.State) -> ImageSettingState {
        let key = Key(slot: slot, state: state)
        if let setting = settings[key] { return setting }
        let setting = ImageSettingState()
        settings[key] = setting
        return setting
    }

    /// The state of `kf` for all images in a slot.
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
