#if GTK
    public import Alcedo
    public import CGtk4
    import Foundation

    /// Shows an image in a GTK window, by means of a `GtkPicture`.
    ///
    /// Its natural size is the image's size in points, one point to an application pixel. GTK must have been
    /// initialised.
    @MainActor
    open class ImageView {
        /// The `GtkPicture`, to put into a container; valid for as long as the view lives.
        public let widget: UnsafeMutablePointer<GtkWidget>

        /// What is shown; nil, the default, for nothing.
        ///
        /// An image that has not been decoded is decoded when it is set; one that turns out to be damaged, or
        /// that has a side over ``Texture/longestSide``, shows nothing.
        open var image: KFCrossPlatformImage? {
            didSet { show(image) }
        }

        /// Makes a view with a picture of its own.
        public convenience init() {
            self.init(picture: gtk_picture_new())
        }

        /// Makes a view of a `GtkPicture` that exists, which keeps what it shows until ``image`` is set.
        public init(picture: UnsafeMutablePointer<GtkWidget>) {
            let isPicture = picture.withMemoryRebound(to: GTypeInstance.self, capacity: 1) {
                g_type_check_instance_is_a($0, gtk_picture_get_type())
            }
            precondition(isPicture != 0, "the widget must be a GtkPicture")
            MainQueue.runUnderGLib()
            widget = picture
            g_object_ref_sink(widget)
        }

        isolated deinit { g_object_unref(widget) }

        private func show(_ image: KFCrossPlatformImage?) {
            let picture = OpaquePointer(widget)
            guard let image, let texture = try? image.kf.texture() else {
                gtk_picture_set_paintable(picture, nil)
                return
            }
            guard image.scale != 1 else {
                gtk_picture_set_paintable(picture, texture.handle)
                return
            }
            let paintable = texture.paintable(size: image.size)
            gtk_picture_set_paintable(picture, paintable)
            if let paintable { g_object_unref(UnsafeMutableRawPointer(paintable)) }
        }
    }

    extension Texture {
        /// A new `GdkPaintable` of another intrinsic size; it keeps all pixels, for screens that show them.
        fileprivate func paintable(size: CGSize) -> OpaquePointer? {
            let snapshot = gtk_snapshot_new()
            var bounds = graphene_rect_t()
            bounds.size = graphene_size_t(width: Float(size.width), height: Float(size.height))
            gtk_snapshot_append_texture(snapshot, handle, &bounds)
            return gtk_snapshot_free_to_paintable(snapshot, &bounds.size)
        }
    }
#endif
