#if GTK
    import AlcedoGTK
    import AlcedoTestSupport
    import CGtk4
    import Foundation
    import Testing

    @MainActor
    @Suite(.serialized, .timeLimit(.minutes(10)))
    struct `The network of a desktop program` {
        @Test
        func `a program's network is constrained as the desktop says, unless the program says otherwise`()
            async throws
        {
            MainQueue.runUnderGLib()
            let loading = try ViewLoading()
            let downloader = ImageDownloader(name: "desktop")
            downloader.downloadTimeout = 600
            let large = loading.serve(try Sample.plain(8, 8, 1, 2, 3), at: "/large")
            let small = loading.serve(try Sample.plain(2, 2, 1, 2, 3), at: "/small")
            func width() async throws -> CGFloat {
                let options: KingfisherOptionsInfo = [
                    .downloader(downloader), .lowDataMode(.network(small)), .forceRefresh,
                ]
                let result = try await KingfisherManager.shared.retrieveImage(
                    with: large, options: loading.options + options)
                return result.image.size.width
            }
            let monitor = g_network_monitor_get_default()
            let expected =
                g_network_monitor_get_network_metered(monitor) != 0
                || g_network_monitor_get_network_available(monitor) == 0
            #expect(downloader.isNetworkConstrained?() == expected)
            #expect(try await width() == (expected ? 2 : 8))
            downloader.isNetworkConstrained = { !expected }
            #expect(try await width() == (expected ? 8 : 2))
        }
    }
#endif
