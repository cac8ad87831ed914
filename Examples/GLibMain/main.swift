#if GTK
    import Alcedo
    import AlcedoGTK
    import CGtk4
    import Foundation

    // A program with GLib's main loop, as in all GTK programs. With an image view, the first line is not needed.

    MainQueue.runUnderGLib()

    let url = URL(fileURLWithPath: CommandLine.arguments[1])
    let loop = g_main_loop_new(nil, 0)
    KingfisherManager.shared.retrieveImage(with: url) { result in
        precondition(Thread.isMainThread)
        print("called back: \((try? result.get())?.image.size.width ?? 0) points wide")
        Task { @MainActor in
            print("and the main actor works")
            // Called when the main loop is idle.
            g_idle_add(
                { loop in
                    g_main_loop_quit(OpaquePointer(loop))
                    return 0
                },
                UnsafeMutableRawPointer(loop)
            )
        }
    }
    g_main_loop_run(loop)
#else
    print("This example needs the trait GTK: swift run --traits GTK GLibMain FILE")
#endif
