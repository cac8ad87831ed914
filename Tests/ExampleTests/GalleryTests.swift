#if GTK
    import AlcedoTestSupport
    import Foundation
    import Testing

    /// The gallery is run as a program of its own, with GLib's main loop.
    @Suite(.timeLimit(.minutes(10)))
    struct `The gallery` {
        private let folder: TemporaryDirectory

        init() throws { folder = try TemporaryDirectory() }

        @Test func `a block of the main queue that queues itself again and again leaves frames`() async throws
        {
            let output = try await BuiltProgram.output(of: "Gallery", ["--main-queue", "10"], in: folder)
            #expect(output.hasPrefix("a block that queues itself: 60 frames"), "\(output)")
        }
    }
#endif
