#if GTK
    import Alcedo
    import AlcedoGTK
    import CGtk4
    import Foundation
    import Testing

    /// In processes of their own, as GTK is initialised once.
    @Suite(.timeLimit(.minutes(10))) struct `A view made before the application runs` {
        @Test func `a view created before the application runs initialises GTK`() async {
            await #expect(processExitsWith: .success) {
                await MainActor.run {
                    #expect(gtk_is_initialized() == 0)
                    let views = [ImageView(), AnimatedImageView(), Button()]
                    g_object_unref(KFImage(nil as URL?).makeWidget())
                    #expect(gtk_is_initialized() != 0 && views.count == 3)
                }
            }
        }

        @Test
        func `a view created without a display ends the program with a message`() async throws {
            let result = try await #require(
                processExitsWith: .failure, observing: [\.standardErrorContent]
            ) {
                for name in ["DISPLAY", "WAYLAND_DISPLAY"] { unsetenv(name) }
                await MainActor.run { _ = ImageView() }
            }
            let text = String(decoding: result.standardErrorContent, as: UTF8.self)
            #expect(text.contains("GTK can't open a display"))
        }
    }
#endif
