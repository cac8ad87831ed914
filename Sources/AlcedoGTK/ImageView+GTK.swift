#if GTK
    public import Alcedo
    public import CGtk4

    extension KFCrossPlatformView {
        /// What to put into a container; valid for as long as the view lives.
        public var widget: UnsafeMutablePointer<GtkWidget> {
            guard let surface = surface as? WidgetSurface else {
                preconditionFailure("the view was not made for GTK")
            }
            return surface.widget
        }
    }

    extension ImageView {
        /// Makes a view with a `GtkPicture` of its own; GTK must have been initialised.
        ///
        /// Its natural size is the image's size in points, one point to an application pixel.
        public convenience init() { self.init(surface: PictureSurface()) }

        /// Makes a view of a `GtkPicture` that exists, which keeps what it shows until ``ImageView/image`` is set.
        ///
        /// Indicators and placeholders that are views are shown only if its parent is a `GtkOverlay`.
        public convenience init(picture: UnsafeMutablePointer<GtkWidget>) {
            self.init(surface: PictureSurface(picture: picture))
        }
    }
#endif
