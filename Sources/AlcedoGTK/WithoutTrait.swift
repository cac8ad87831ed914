#if !GTK
    // The types that programs start with: without the trait the compiler would only say that it can't find them.
    public import Alcedo
    public import Foundation

    /// An application of GTK's, which this build does not have.
    @available(*, unavailable, message: "enable the trait GTK of the package Alcedo")
    public struct GTKApplication {
        public init(id: String? = nil) {}
        public func run(_ start: @escaping @MainActor (GTKApplication) -> Void) -> Int32 { 1 }
        public func show(
            _ views: KFCrossPlatformView..., title: String, size: CGSize = CGSize(width: 640, height: 480)
        ) {}
        public func quit() {}
    }

    /// The cells of a list of GTK's, which this build does not have.
    @available(*, unavailable, message: "enable the trait GTK of the package Alcedo")
    public struct ImageCells<Content: KFImageProtocol> {}

    /// A view that zooms photos, which this build does not have.
    @available(*, unavailable, message: "enable the trait GTK of the package Alcedo")
    public struct PhotoView { public init() {} }

    /// The main queue under GLib's main loop, which this build does not have.
    @available(*, unavailable, message: "enable the trait GTK of the package Alcedo")
    public enum MainQueue { public static func runUnderGLib() {} }

    extension ImageView {
        /// A view with a widget, which this build does not have.
        @available(*, unavailable, message: "enable the trait GTK of the package Alcedo")
        public convenience init() { preconditionFailure("GTK is missing") }
    }

    public typealias Button = KFCrossPlatformButton

    extension KFCrossPlatformButton {
        /// A button with a widget, which this build does not have.
        @available(*, unavailable, message: "enable the trait GTK of the package Alcedo")
        public convenience init() { preconditionFailure("GTK is missing") }
    }

    extension KFImageProtocol {
        /// The image as a widget, which this build does not have.
        @available(*, unavailable, message: "enable the trait GTK of the package Alcedo")
        public func makeWidget() -> OpaquePointer { preconditionFailure("GTK is missing") }
    }
#endif
