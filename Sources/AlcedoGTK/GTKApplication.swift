#if GTK
    public import Alcedo
    public import CGtk4
    public import Foundation

    /// A GTK application whose windows show Alcedo's views, for small programs.
    ///
    /// Programs with other widgets use a GTK binding instead, and add ``Alcedo/KFCrossPlatformView/widgetPointer``
    /// to their containers.
    @MainActor
    public final class GTKApplication {
        private let application: UnsafeMutablePointer<GtkApplication>
        private var start: (@MainActor (GTKApplication) -> Void)?

        /// Creates an application.
        ///
        /// - Parameter id: the application ID, such as `com.example.Pictures`; nil for none. An ID that is not
        ///   valid for D-Bus counts as nil.
        public init(id: String? = nil) {
            let id = id.flatMap { g_application_id_is_valid($0) != 0 ? $0 : nil }
            guard let application = gtk_application_new(id, alcedo_g_application_non_unique) else {
                preconditionFailure("gtk_application_new failed")
            }
            self.application = application
        }

        isolated deinit { g_object_unref(application) }

        /// Runs the main loop until the last window is closed or ``quit()`` is called.
        ///
        /// Call it once, on the main thread.
        ///
        /// - Parameter start: opens the first windows.
        /// - Returns: the program's exit status; 1 without a display.
        public func run(_ start: @escaping @MainActor (GTKApplication) -> Void) -> Int32 {
            MainQueue.runUnderGLib()
            self.start = start
            let context = Unmanaged.passUnretained(self).toOpaque()
            var signals = Signals(of: application)
            signals.connect("activate", context) { _, context in
                guard let context else { return }
                let application = Unmanaged<GTKApplication>.fromOpaque(context).takeUnretainedValue()
                MainActor.assumeIsolated { application.start?(application) }
            }
            // Keeps them connected while the main loop runs: their last use is above.
            defer { withExtendedLifetime(signals) {} }
            return UnsafeMutableRawPointer(application).withMemoryRebound(to: GApplication.self, capacity: 1)
            {
                g_application_run($0, 0, nil)
            }
        }

        /// Opens a window of an initial `size` in points with a scrollable column of views, which it retains until it is closed.
        public func show(
            _ views: KFCrossPlatformView..., title: String, size: CGSize = CGSize(width: 640, height: 480)
        ) {
            guard let box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0) else { return }
            for view in views {
                (view.surface as? WidgetSurface)?.keep(view)
                gtk_widget_set_vexpand(view.widget, 1)
                UnsafeMutableRawPointer(box).withMemoryRebound(to: GtkBox.self, capacity: 1) {
                    gtk_box_append($0, view.widget)
                }
            }
            show(box, title: title, size: size)
        }

        /// Opens a window of an initial `size` in points with a scrollable widget, such as a `KFImage`'s or a `GtkGridView`.
        ///
        /// The window takes a floating reference.
        public func show(
            _ widget: UnsafeMutablePointer<GtkWidget>, title: String,
            size: CGSize = CGSize(width: 640, height: 480)
        ) {
            guard let window = gtk_application_window_new(application) else { return }
            let scrolled = gtk_scrolled_window_new()
            gtk_scrolled_window_set_child(OpaquePointer(scrolled), widget)
            UnsafeMutableRawPointer(window).withMemoryRebound(to: GtkWindow.self, capacity: 1) { window in
                gtk_window_set_title(window, title)
                gtk_window_set_default_size(
                    window, Int32(clamping: Int(size.width)), Int32(clamping: Int(size.height)))
                gtk_window_set_child(window, scrolled)
                gtk_window_present(window)
            }
        }

        /// Closes all windows and ends ``run(_:)``.
        public func quit() {
            UnsafeMutableRawPointer(application).withMemoryRebound(to: GApplication.self, capacity: 1) {
                g_application_quit($0)
            }
        }
    }

    extension KFCrossPlatformView {
        /// ``widget`` as a raw pointer, for a GTK binding with other types.
        public var widgetPointer: UnsafeMutableRawPointer { UnsafeMutableRawPointer(widget) }
    }
#endif
