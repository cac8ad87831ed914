#if GTK
    import CGtk4

    /// Initialises GTK for a view that is made before the application runs; later calls do nothing.
    @MainActor
    func initializeGTK() {
        guard gtk_init_check() == 0 else { return }
        // Unlike a precondition's, this text is printed by optimised programs too.
        fatalError(
            "GTK can't open a display: run the program in a graphical session, or with xvfb-run, or set DISPLAY or "
                + "WAYLAND_DISPLAY")
    }
#endif
