#if GTK
    import AlcedoGTK
    import CGtk4
    import ExampleWidgets
    import Foundation

    /// Shows one picture in a window, and ends when it is painted.
    @MainActor
    enum FirstPicture {
        /// Returns whether the picture was painted.
        static func show(_ file: String) -> Bool {
            let loop = g_main_loop_new(nil, 0)
            let window: Widget = gtk_window_new()
            let view = ImageView()
            gtk_window_set_default_size(window.cast(), 400, 300)
            gtk_window_set_child(window.cast(), view.widget)
            var (isLoaded, isPainted) = (false, false)
            let size = CGSize(width: 400, height: 300)
            view.kf.setImage(
                with: URL(fileURLWithPath: file),
                options: [.processor(DownsamplingImageProcessor(size: size))]
            ) { result in
                switch result {
                case .success: isLoaded = true
                case .failure(let error):
                    print(error.localizedDescription)
                    g_main_loop_quit(loop)
                }
            }
            gtk_window_present(window.cast())
            onSignal("after-paint", of: gtk_widget_get_frame_clock(window)) {
                guard isLoaded, !isPainted else { return }
                isPainted = true
                print("painted")
                fflush(nil)
                g_main_loop_quit(loop)
            }
            g_main_loop_run(loop)
            return isPainted
        }
    }
#endif
