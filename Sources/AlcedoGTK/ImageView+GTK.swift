#if GTK
    public import Alcedo
    public import CGtk4

    extension KFCrossPlatformView {
        /// The widget to add to a container, as GTK's functions return it: the first reference is floating, and the container
        /// takes it.
        ///
        /// The view lives as long as something has a reference to the widget. Like any widget of GTK's, one that no container
        /// takes has to be released with `g_object_ref_sink` and `g_object_unref`.
        public var widget: UnsafeMutablePointer<GtkWidget> {
            guard let surface = surface as? WidgetSurface else {
                preconditionFailure("the view's surface is not a WidgetSurface")
            }
            return surface.widgetForProgram
        }
    }

    extension ImageView {
        /// Creates a view with a new `GtkPicture`; initialises GTK, and ends the program if there is no display.
        ///
        /// Its natural size is the image's size in points; a point is one application pixel. The view lives as long as its
        /// widget.
        public convenience init() {
            let surface = PictureSurface()
            self.init(surface: surface)
            surface.keep(self)
        }

        /// Creates a view on an existing `GtkPicture`, which keeps its present content until `ImageView.image` is
        /// set.
        ///
        /// Indicators and placeholder views are shown only if its parent is a `GtkOverlay`. The view lives as long as the
        /// picture, or until the next view on it.
        public convenience init(picture: UnsafeMutablePointer<GtkWidget>) {
            let surface = PictureSurface(picture: picture)
            self.init(surface: surface)
            surface.keepForProgram(self)
        }
    }
#endif
