#if GTK
    public import Alcedo
    public import CGtk4

    extension KFCrossPlatformView {
        /// The widget to add to a container; valid for the lifetime of the view, which lasts as long as the widget has a
        /// parent unless the view was made on an existing widget.
        public var widget: UnsafeMutablePointer<GtkWidget> {
            guard let surface = surface as? WidgetSurface else {
                preconditionFailure("the view's surface is not a WidgetSurface")
            }
            return surface.widget
        }
    }

    extension ImageView {
        /// Creates a view with a new `GtkPicture`; initialises GTK, and ends the program if there is no display.
        ///
        /// Its natural size is the image's size in points; a point is one application pixel. The view lives as long as its
        /// widget has a parent.
        public convenience init() {
            let surface = PictureSurface()
            self.init(surface: surface)
            surface.keep(self)
        }

        /// Creates a view on an existing `GtkPicture`, which keeps its present content until `ImageView.image` is
        /// set.
        ///
        /// Indicators and placeholder views are shown only if its parent is a `GtkOverlay`. The caller keeps the view: once
        /// it is released, its loads end and the picture stays as it is.
        public convenience init(picture: UnsafeMutablePointer<GtkWidget>) {
            self.init(surface: PictureSurface(picture: picture))
        }
    }
#endif
