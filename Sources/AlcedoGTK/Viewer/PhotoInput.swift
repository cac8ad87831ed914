#if GTK
    import CGtk4
    import Foundation

    /// What the pointer and fingers do with a ``PhotoView``, for its controllers.
    @MainActor
    final class PhotoInput {
        /// Where the pointer was last, in points.
        var pointer: CGPoint?

        private weak var view: PhotoView?
        private var dragged = CGPoint.zero
        private var pinched = 1.0

        /// How much larger a step of the wheel makes the picture.
        static let step = 1.25

        init(_ view: PhotoView) { self.view = view }

        private var surface: PhotoSurface? { view?.surface as? PhotoSurface }

        func scroll(_ x: Double, _ y: Double, zooms: Bool, isWheel: Bool) {
            surface?.stopGliding()
            guard zooms else { return view?.pan(by: -x, -y) ?? () }
            view?.zoom(by: pow(Self.step, isWheel ? -y : -y / 50), about: pointer)
        }

        func startDrag() {
            surface?.stopGliding()
            dragged = .zero
        }

        func drag(to x: Double, _ y: Double) {
            view?.pan(by: x - dragged.x, y - dragged.y)
            dragged = CGPoint(x: x, y: y)
        }

        func glide(_ x: Double, _ y: Double) { surface?.glide(from: CGPoint(x: x, y: y)) }

        func startPinch() {
            surface?.stopGliding()
            pinched = 1
        }

        func pinch(to factor: Double, about center: CGPoint?) {
            guard factor > 0 else { return }
            view?.zoom(by: factor / pinched, about: center)
            pinched = factor
        }

        func press(_ count: Int32, at place: CGPoint) {
            guard let view else { return }
            gtk_widget_grab_focus(view.widget)
            guard count == 2 else { return }
            if view.isFit { view.zoomToPixels(about: place) } else { view.zoomToFit() }
        }

        nonisolated static func with(_ context: gpointer?, _ body: @MainActor (PhotoInput) -> Void) {
            guard let context else { return }
            let input = Unmanaged<PhotoInput>.fromOpaque(context).takeUnretainedValue()
            MainActor.assumeIsolated { body(input) }
        }
    }

    /// What keys do with a ``PhotoView``.
    @MainActor
    struct PhotoKey {
        /// As `gtk_shortcut_trigger_parse_string` reads it.
        let trigger: String

        let action: @MainActor (PhotoView) -> Void

        private static let distance = 100.0

        static let all: [PhotoKey] = [
            PhotoKey(trigger: "plus|equal|KP_Add") { $0.zoom(by: PhotoInput.step) },
            PhotoKey(trigger: "minus|KP_Subtract") { $0.zoom(by: 1 / PhotoInput.step) },
            PhotoKey(trigger: "0|KP_0") { $0.zoomToFit() },
            PhotoKey(trigger: "1|KP_1") { $0.zoomToPixels() },
            PhotoKey(trigger: "Left") { $0.pan(by: distance, 0) },
            PhotoKey(trigger: "Right") { $0.pan(by: -distance, 0) },
            PhotoKey(trigger: "Up") { $0.pan(by: 0, distance) },
            PhotoKey(trigger: "Down") { $0.pan(by: 0, -distance) },
        ]
    }

    @MainActor
    final class BoundPhotoKey {
        private let key: PhotoKey
        private weak var view: PhotoView?

        init(_ key: PhotoKey, _ view: PhotoView) { (self.key, self.view) = (key, view) }

        func press() { if let view { key.action(view) } }
    }
#endif
