import Testing

@testable import AlcedoServer

struct `The health of paths` {
    private let start = ContinuousClock.now
    private var health = PathHealth()

    private func after(_ seconds: Int) -> ContinuousClock.Instant { start + .seconds(seconds) }

    @discardableResult
    private mutating func hang(_ paths: String..., at seconds: Int = 5) -> [PathHealth.Timeout] {
        paths.map {
            health.lose($0)
            return health.timedOut($0, trying: [], since: start, at: after(seconds))
        }
    }

    @Test func `the health of a path is that of a file, and of all folders that contain it`() {
        #expect(PathHealth.levels(of: "/a/b/c.png") == ["/", "/a/", "/a/b/", "/a/b/c.png"])
        #expect(PathHealth.levels(of: "/c.png") == ["/", "/c.png"])
        let deep = String(repeating: "/a", count: 2000)
        #expect(PathHealth.levels(of: deep).count == 18)
    }

    @Test mutating func `the health of a path is lost by a file alone if others beside it respond`() {
        for round in 0..<10 {
            hang("/a/\(round).png")
            #expect(health.returned("/a/fine.png")?.folder == nil)
        }
        #expect(health.admit("/a/3.png", at: after(5)) == .rejected(level: "/a/3.png", since: start))
        #expect(health.admit("/a/fine.png", at: after(5)) == .admitted)
        #expect(health.unresponsiveFolders.isEmpty && !health.isSilent)
    }

    @Test
    mutating func `the health of a path is lost by a folder with three files, and not by its neighbours`() {
        let timeouts = hang("/nas/1", "/nas/2", "/nas/3", "/nas/4")
        #expect(timeouts.map(\.folder) == [nil, nil, "/nas/", nil])
        #expect(health.admit("/nas/x/new", at: after(5)) == .rejected(level: "/nas/", since: start))
        #expect(health.admit("/other/new", at: after(5)) == .admitted)
        #expect(health.unresponsiveFolders == ["/nas/"] && health.isSilent)
        _ = health.returned("/other/new")
        #expect(health.unresponsiveFolders == ["/nas/"] && !health.isSilent)
    }

    @Test
    mutating func
        `the health of a path is lost by the root with three of its members, however many files they have`()
    {
        let timeouts = hang("/0/a", "/1/b", "/2/c")
        #expect(timeouts.last?.folder == "/")
        #expect(health.admit("/9/new", at: after(5)) == .rejected(level: "/", since: start))
        #expect(health.unresponsiveFolders == ["/"] && health.isSilent)
    }

    @Test mutating func `the health of a path comes back with any call that returns`() {
        hang("/nas/1", "/nas/2", "/nas/3", "/nas/4")
        let back = health.returned("/nas/2")
        #expect(back?.folder == "/nas/" && back?.since == start)
        #expect(health.admit("/nas/5", at: after(5)) == .admitted)
        // The others have not returned.
        #expect(
            health.rejection(of: "/nas/1", at: after(5)) != nil
                && health.rejection(of: "/nas/2", at: after(5)) == nil)
    }

    @Test mutating func `the health of a path is tried by one call at a time, after pauses that double`() {
        hang("/nas/1", "/nas/2", "/nas/3", "/nas/4")
        var now = 5
        for pause in [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300] {
            #expect(health.rejection(of: "/nas/new", at: after(now + pause) - .nanoseconds(1)) != nil)
            now += pause
            #expect(health.rejection(of: "/nas/new", at: after(now)) == nil)
            guard case .trial(let levels) = health.admit("/nas/new", at: after(now)) else {
                Issue.record("no trial after \(pause) s")
                return
            }
            #expect(levels.first == "/nas/")
            #expect(health.admit("/nas/other", at: after(now)) == .rejected(level: "/nas/", since: start))
            now += 5
            _ = health.timedOut("/nas/new", trying: levels, since: after(now - 5), at: after(now))
        }
        guard case .trial(let levels) = health.admit("/nas/new", at: after(now + 300)) else {
            Issue.record("no trial")
            return
        }
        #expect(levels == ["/nas/", "/nas/new"])
        #expect(health.returned("/nas/new")?.folder == "/nas/")
    }

    @Test
    mutating func
        `the health of a path of a server is degraded, not lost, while a trial takes too long beside a healthy folder`()
    {
        hang("/nas/0", "/nas/1", "/nas/2")
        _ = health.returned("/disk/x")
        guard case .trial(let levels) = health.admit("/nas/0", at: after(6)) else {
            Issue.record("no trial")
            return
        }
        _ = health.timedOut("/nas/0", trying: levels, since: after(6), at: after(11))
        #expect(!health.isSilent && health.unresponsiveFolders == ["/nas/"])
        // Nor by one file of another folder.
        hang("/tmp/0", at: 12)
        #expect(!health.isSilent)
        // Until what was read does not respond either.
        hang("/disk/0", "/disk/1", "/disk/2", at: 13)
        #expect(health.isSilent)
    }

    @Test mutating func `the health of a path starts no trial while many calls are lost`() {
        var now = 5
        hang("/nas/file", at: now)
        var trials = 0
        for _ in 0..<20 {
            now += 1000
            guard case .trial(let levels) = health.admit("/nas/file", at: after(now)) else { break }
            trials += 1
            health.lose("/nas/file")
            _ = health.timedOut("/nas/file", trying: levels, since: after(now - 5), at: after(now))
        }
        #expect(trials == 2)
        for number in 0..<4 { hang("/nas/\(number)", at: now) }
        guard case .trial = health.admit("/nas/new", at: after(now + 500)) else {
            Issue.record("no trial with 7 lost calls")
            return
        }
        hang("/nas/new", at: now + 505)
        #expect(health.rejection(of: "/nas/new", at: after(now + 1000)) != nil)
        #expect(health.admit("/other/new", at: after(now + 1000)) == .admitted)
        #expect(health.foldersWithMostLost == ["/nas/"])
        _ = health.returned("/nas/new", wasLost: true)
        guard case .trial(["/nas/0"]) = health.admit("/nas/0", at: after(now + 1000)) else {
            Issue.record("no trial after a return")
            return
        }
    }

    @Test mutating func `the health of a path is not lost by folders in which a call has returned meanwhile`()
    {
        for number in 0..<9 {
            let timeout = health.timedOut("/nas/\(number)", trying: [], alive: 2, since: start, at: after(5))
            #expect(timeout.folder == nil)
        }
        #expect(health.admit("/nas/new", at: after(5)) == .admitted)
        #expect(health.rejection(of: "/nas/3", at: after(5)) != nil)
    }
}
