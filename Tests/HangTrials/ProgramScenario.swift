import AlcedoLocks
import AlcedoTestSupport
import Foundation

/// A command of `alcedo`, of which any call of the system may hang.
struct ProgramScenario: Sendable {
    let name: String

    /// The calls that are hit, and where, such as `* …/cache`.
    ///
    /// `…` is the folder of the run.
    let calls: String

    /// The program; `alcedo`, or another one of the package.
    var program = "alcedo"

    /// What follows its name; `…` is the folder of the run, and `http:` the server.
    let arguments: [String]

    /// Seconds until it ends by itself while a call hangs; nil if only a signal ends it.
    var bound: Double? = 14

    /// The first call to try.
    var first = 1

    /// The last call to try.
    var most = Int.max

    /// What happens to the call.
    var fault = "hang"

    /// Whether all calls from there on are hit.
    var isLasting = false

    /// What a shell lowers before it starts the program, which then has no faults.
    var limit: String?

    private static let get = ["get", "http:/picture", "--timeout", "3", "-o", "…/out/a.jpg"]

    /// Not `socketpair`, `memfd_create` and `mmap` of these, which only take memory.
    private static let worker = "posix_spawn,send,recv *"

    /// Seconds of a read, found out by a check that comes every second; and what a busy machine adds.
    private static let read = 15.0 + 2 + 5

    static let all: [ProgramScenario] =
        [
            .init(name: "get: cache", calls: "* …/cache", arguments: get, bound: 24),
            .init(name: "get: output", calls: "* …/out", arguments: get, bound: nil),
            .init(
                name: "get: file", calls: "* …/files",
                arguments: ["get", "…/files/picture.jpg", "-o", "…/out/a.jpg"], bound: read),
            .init(
                name: "get: standard output", calls: "* …/output",
                arguments: ["get", "http:/picture", "-o", "-"], bound: nil),
            .init(
                name: "get: name", calls: "getaddrinfo @hung.test",
                arguments: ["get", "http://hung.test/a.jpg", "--timeout", "3", "-o", "…/out/a.jpg"]),
            .init(
                name: "get: worker", calls: worker,
                arguments: ["get", "http:/drawing", "--timeout", "3", "-o", "…/out/a.png"], bound: 45,
                most: 60),
            // The helper program on a disk that hangs: 10 s, then the image is decoded without it.
            .init(
                name: "get: all workers", calls: "posix_spawn *",
                arguments: ["get", "http:/drawing", "--timeout", "3", "-o", "…/out/a.png"], bound: 25,
                most: 1, isLasting: true),
            .init(
                name: "get: threads", calls: "pthread_create *", arguments: get, bound: nil,
                first: needed + 1,
                most: needed + 8),
            .init(name: "info", calls: "* …/files", arguments: ["info", "…/files/picture.jpg"], bound: nil),
            .init(
                name: "prefetch: list", calls: "* …/files", arguments: ["prefetch", "…/files/list"],
                bound: nil),
            .init(
                name: "prefetch: cache", calls: "* …/cache",
                arguments: ["prefetch", "…/files/list", "--timeout", "3"], bound: 24),
            .init(
                name: "prefetch: log", calls: "write #1", arguments: ["prefetch", "…/files/list"], bound: nil),
        ]
        + ["stats", "list", "clean", "clear"].map {
            .init(name: "cache \($0)", calls: "* …/cache", arguments: ["cache", $0], bound: nil, most: 40)
        }

    /// Starts of programs that the system denies something.
    static let starts = denied + limited + library

    private static let limited: [ProgramScenario] =
        (["-n 4", "-n 6", "-n 8", "-n 10", "-n 12", "-n 16", "-n 24"]
        + [40, 80, 120, 160, 200, 300, 400, 600, 800].map { "-v \($0)000" }).flatMap { limit in
            [
                .init(name: "get", calls: "", arguments: get, bound: 30, most: 1, limit: "ulimit \(limit)"),
                .init(
                    name: "serve", calls: "", arguments: serve, bound: nil, most: 1, limit: "ulimit \(limit)"),
            ]
        }

    /// A program without the command's check waits for ever for Dispatch's threads, and crashes without 32 descriptors.
    private static let library: [ProgramScenario] = [160, 200, 300, 400, 600, 800].map {
        .init(
            name: "library", calls: "", program: "HangTrials", arguments: load, bound: nil, most: 1,
            limit: "ulimit -v \($0)000")
    }

    private static let serve = ["serve", "--bind", "127.0.0.1:0"]
    private static let load = ["get", "http:/picture"]

    /// Threads that `alcedo` starts first, to see whether it may.
    private static let needed = ProcessorCount.ofSwift + ProcessorCount.usable + 12

    private static let denied: [ProgramScenario] = [
        .init(
            name: "get: no thread", calls: "pthread_create *", arguments: get, most: needed,
            fault: "fail=EAGAIN", isLasting: true),
        // The command has found out at its start that there are enough; Dispatch tries once a second from then on.
        .init(
            name: "get: no thread any more", calls: "pthread_create *", arguments: get, bound: nil,
            first: needed + 1,
            most: needed + 4, fault: "fail=EAGAIN", isLasting: true),
        .init(
            name: "get: one thread less", calls: "pthread_create *", arguments: get, most: needed + 8,
            fault: "fail=EAGAIN"),
        .init(
            name: "serve: one thread less", calls: "pthread_create *", arguments: serve, bound: nil,
            most: needed + 8,
            fault: "fail=EAGAIN"),
        .init(
            name: "library: one thread less", calls: "pthread_create *", program: "HangTrials",
            arguments: load, bound: 30, most: 12, fault: "fail=EAGAIN"),
        .init(
            name: "get: no mapping", calls: "mmap *", arguments: get, most: 30, fault: "fail=ENOMEM",
            isLasting: true),
        .init(
            name: "get: no shared memory", calls: "memfd_create *",
            arguments: ["get", "http:/drawing", "-o", "…/out/a.png"], bound: 30, fault: "fail=EMFILE",
            isLasting: true),
        .init(
            name: "get: no process", calls: "posix_spawn *",
            arguments: ["get", "http:/drawing", "-o", "…/out/a.png"], bound: 30, fault: "fail=EAGAIN",
            isLasting: true),
    ]
}
