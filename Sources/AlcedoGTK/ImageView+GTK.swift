#if GTK
    public import Alcedo
    public import CGtk4

    extension KFCrossPlatformView {
        /// The widget to add to a container; valid for the lifetime of the view.
        public var widget: UnsafeMutablePointer<GtkWidget> {
            guard let surface = surface as? WidgetSurface else {
                preconditionFailure("the view's surface is not a WidgetSurface")
            }
            return surface.widget
        }
    }

    extension ImageView {
        /// Makes a view with a new `GtkPicture`; GTK must be initialised.
        ///
        /// Its natural size is the image's size in points; a point is one application pixel.
        public convenience init() { self.init(surface: PictureSurface()) }

        /// Makes a view on an existing `GtkPicture`, which keeps its present content until ``ImageView/image`` is
        /// set.
        ///
        /// Indicators and placeholder views are shown only if its parent is a `GtkOverlay`.
        public convenience init(picture: UnsafeMutablePointer<GtkWidget>) {
            self.init(surface: PictureSurface(picture: picture))
        }
    }
#endif
