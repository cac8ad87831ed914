#if GTK
    import AlcedoGTK
    import AlcedoTestSupport
    import CGtk4
    import Foundation
    import Testing

    @MainActor
    @Suite(.serialized, .timeLimit(.minutes(10)))
    struct `A grid of images` {
        @Test
        func `a grid of images loads what is visible and as much ahead, of 100,000 items`() async throws {
            let grid = try ImageGrid(count: 100_000, prefetchLimit: 6)
            let window = try #require(grid.window)
            try await grid.settle { Set(grid.requested) == Set(0...(grid.visible.keys.max() ?? 0) + 6) }
            let last = try #require(grid.visible.keys.max())
            #expect(grid.requested.count == last + 7, "each once")
            #expect(last < 60 && grid.calls < 1000)
            let view = try #require(grid.visible[3])
            #expect(try window.middlePixel(of: view.widget) == ImageGrid.color(3))
        }

        @Test
        func `a grid of images shows the right ones after fast scrolling, and loads few`() async throws {
            let grid = try ImageGrid(count: 100_000, prefetchLimit: 4)
            let window = try #require(grid.window)
            try await grid.settle()
            let (before, calls) = (grid.requested.count, grid.calls)
            for step in 0..<100 {
                grid.scroll(to: Double(step * 7919 % 100) / 100)
                _ = try window.drawn()
                // Other tests need the main thread, too.
                await Task.yield()
            }
            let rebound = grid.calls - calls
            #expect(rebound >= 400)
            try await grid.settle()
            #expect(grid.requested.count - before < rebound / 2, "of \(rebound)")
            let unexpected = grid.results.values.compactMap(\.error).filter { !$0.isExpected }
            #expect(unexpected.isEmpty, "\(unexpected)")
        }

        @Test
        func `a grid of images prefetches backwards at a lower priority`() async throws {
            let priorities = Recorder<(Int, Float)>()
            let grid = try ImageGrid(count: 1000, prefetchLimit: 8) { image, position in
                image.downloadPriority(0.6).interceptors([Watch { priorities.append((position, $0)) }])
            }
            try await grid.settle()
            grid.scroll(toItem: 999)
            try await grid.settle { grid.visible[999] != nil }
            grid.scroll(toItem: 500)
            try await grid.settle {
                guard grid.visible[500] != nil, let first = grid.visible.keys.min() else { return false }
                return Set(first - 8..<first).isSubset(of: grid.requested)
            }
            let middle = try #require(grid.visible.keys.min())
            let expected = Set(middle - 8..<middle)
            let ahead = priorities.values.filter { expected.contains($0.0) }
            #expect(ahead.count == 8 && ahead.allSatisfy { $0.1 == 0.3 }, "\(ahead)")
            #expect(priorities.values.contains { $0 == (middle, 0.6) })
        }

        @Test func `a grid of images first loads what is visible, of a server that holds the responses`()
            async throws
        {
            let gate = Gate()
            defer { gate.open() }
            let downloader = ImageDownloader(name: "connections for all")
            downloader.downloadTimeout = 600
            let configuration = downloader.sessionConfiguration
            configuration.httpMaximumConnectionsPerHost = 100
            downloader.sessionConfiguration = configuration
            let grid = try ImageGrid(count: 1000, prefetchLimit: 6, until: gate) { image, _ in
                image.downloader(downloader)
            }
            let window = try #require(grid.window)
            func waitForVisible(_ position: Int) async throws -> Set<Int> {
                try await window.run(
                    until: {
                        grid.visible[position] != nil && Set(grid.requested).isSuperset(of: grid.visible.keys)
                    }, state: { grid.state })
                for _ in 0..<5 {
                    _ = try window.drawn()
                    await Task.yield()
                }
                return Set(grid.visible.keys)
            }
            let first = try await waitForVisible(0)
            #expect(Set(grid.requested) == first, "\(grid.state)")
            grid.scroll(toItem: 500)
            let second = try await waitForVisible(500)
            #expect(Set(grid.requested) == first.union(second), "\(grid.state)")
            gate.open()
            let last = try #require(second.max())
            try await grid.settle { Set(grid.requested).isSuperset(of: last + 1...last + 6) }
        }

        @Test func `a grid of images cancels what is scrolled away`() async throws {
            let never = Gate()
            defer { never.open() }
            let grid = try ImageGrid(count: 1000, prefetchLimit: 0, until: never)
            let window = try #require(grid.window)
            try await window.run { !grid.requested.isEmpty }
            let first = grid.visible.count
            grid.scroll(toItem: 999)
            try await window.run(
                until: { grid.visible[999] != nil && grid.results.count >= first }, state: { grid.state })
            #expect(
                grid.results.values.allSatisfy { $0.error?.isExpected == true },
                "\(grid.results.values.map(\.error)), \(grid.state)")
        }

        @Test func `a grid of images shows failure views, and removes them afterwards`() async throws {
            let failures = Recorder<Int>()
            let grid = try ImageGrid(count: 1000, prefetchLimit: 4) { image, position in
                guard position < 100 else { return image }
                let source = position.isMultiple(of: 2) ? URL(string: "http://127.0.0.1:1/none") : nil
                return KFImage(source).onFailure { _ in failures.append(position) }
                    .onFailureView { gtk_label_new("No image") }
            }
            let window = try #require(grid.window)
            try await window.run(
                until: { grid.visible[1] != nil && Set(failures.values).isSuperset(of: grid.visible.keys) },
                state: { "\(grid.state), failed \(failures.values)" })
            grid.scroll(toItem: 999)
            try await grid.settle { grid.visible[999] != nil }
            for view in grid.visible.values {
                let content = try #require(view.surface as? WidgetSurface).content
                #expect(gtk_widget_get_next_sibling(content) == nil, "there is something in front")
            }
        }

        @Test func `a grid of images follows changes of its list`() async throws {
            let grid = try ImageGrid(count: 1000, prefetchLimit: 4)
            let window = try #require(grid.window)
            try await grid.settle()
            gtk_string_list_splice(grid.list, 0, 990, nil)
            try await window.run { grid.visible.count <= 10 }
            gtk_string_list_splice(grid.list, 0, 10, nil)
            try await window.run { grid.visible.isEmpty }
        }

        @Test func `a grid of images frees everything with its window`() async throws {
            let never = Gate()
            defer { never.open() }
            weak var view: ImageView?
            weak var witness: Witness?
            var grid: ImageGrid? = try {
                let capture = Witness()
                witness = capture
                return try ImageGrid(count: 1000, prefetchLimit: 4, until: never) { image, _ in
                    withExtendedLifetime(capture) { image }
                }
            }()
            try await grid?.window?.run { grid?.requested.isEmpty == false }
            view = grid?.visible[0]
            #expect(view != nil && witness != nil)
            let results = try #require(grid?.results)
            grid?.close()
            await results.waitFor(count: 1)
            #expect(results.values.allSatisfy { $0.error?.isExpected == true })
            grid = nil
            while view != nil || witness != nil { await Task.yield() }
        }
    }

    /// Reports the priority of each load.
    private struct Watch: ImageLoadInterceptor {
        let tell: @Sendable (Float) -> Void

        func intercept(
            _ request: ImageLoadRequest, next: @escaping ImageLoadRequest.Next
        ) async throws -> RetrieveImageResult {
            tell(request.options.downloadPriority)
            return try await next(request)
        }
    }

    private final class Witness {}

    extension KingfisherError {
        /// Whether a list's cell cancelled the load, or was bound to another item since.
        fileprivate var isExpected: Bool { isTaskCancelled || isNotCurrentTask }
    }
#endif
