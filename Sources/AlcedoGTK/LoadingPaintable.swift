#if GTK
    public import Alcedo
    import CGtk4
    public import Foundation

    /// A `GdkPaintable` that draws an image which Alcedo loads, for a `GtkPicture`, a `GtkImage`, an `AdwAvatar` or code of the program's.
    ///
    /// ``Alcedo/KFImageProtocol/makePaintable(size:placeholder:)`` creates it. It is used on the main thread.
    @MainActor
    public final class LoadingPaintable {
        /// The `GdkPaintable`, which owns the load: it is cancelled with the last reference, whichever thread releases that.
        ///
        /// Widgets that show it have references of their own. Without one it is valid for the lifetime of this object, and then until
        /// the main loop continues, so that `KFImage(url).makePaintable().handle` may be an argument.
        public let handle: OpaquePointer

        init(of view: ImageView, on surface: PaintableSurface) {
            handle = PaintableType.makeInstance()
            PaintableType.setOwner(surface, of: handle)
            surface.paintable = handle
            g_object_set_data_full(
                UnsafeMutablePointer(handle), "alcedo-view", Unmanaged.passRetained(view).toOpaque()
            ) { view in
                guard let view else { return }
                let address = UInt(bitPattern: view)
                // On the main thread, where ``PaintableType`` disposes of its objects.
                MainActor.assumeIsolated { LoadingPaintable.end(address) }
            }
        }

        isolated deinit {
            let address = UInt(bitPattern: handle)
            DispatchQueue.main.async { g_object_unref(UnsafeMutableRawPointer(bitPattern: address)) }
        }

        /// Cancels the load of a view whose paintable has ended, on the main thread.
        private static func end(_ address: UInt) {
            guard let pointer = UnsafeMutableRawPointer(bitPattern: address) else { return }
            let view = Unmanaged<ImageView>.fromOpaque(pointer).takeRetainedValue()
            (view.surface as? PaintableSurface)?.end()
            view.binder?.cancel()
        }
    }

    extension KFImageProtocol {
        /// Creates a `GdkPaintable` that draws the image, and starts to load it.
        ///
        /// Wherever it is drawn, the pixels that are drawn there are decoded, for the display's screen with the highest scale;
        /// the content mode fits the image to what draws it. An animation plays while it is drawn. Transitions, indicators and
        /// placeholders that are widgets are not drawn.
        ///
        /// - Parameters:
        ///   - size: the intrinsic size in points; nil, the default, for the image's, which is zero before it is known.
        ///   - placeholder: a `GdkPaintable` to draw as long as there is no image, such as an icon; retained.
        /// - Returns: the paintable, whose ``LoadingPaintable/handle`` GTK's functions take.
        public func makePaintable(
            size: CGSize? = nil, placeholder: OpaquePointer? = nil
        ) -> LoadingPaintable {
            makePaintable(on: PaintableSurface(placeholder: placeholder, size: size))
        }

        func makePaintable(on surface: PaintableSurface) -> LoadingPaintable {
            MainQueue.runUnderGLib()
            // Not when it is visible, as nothing draws a paintable without a size.
            let view = startLoadingBeforeViewAppear().makeView(surface: surface)
            return LoadingPaintable(of: view, on: surface)
        }
    }
#endif
