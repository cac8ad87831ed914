import AlcedoTestSupport
import CFaults
import Foundation
import Glibc

/// Checks of the faults themselves, without a load.
struct FaultChecks {
    private let folder: TemporaryDirectory
    private let path: String

    init() throws {
        folder = try TemporaryDirectory()
        path = folder.file("file").path
        try Data("content".utf8).write(to: folder.file("file"))
    }

    /// Prints a line for each check that fails, and at last how many there were.
    func run() throws {
        let checks: [(String, Bool)] = [
            ("a call fails from the first on, so often", failsInTurn()),
            ("a path is not the beginning of another's name", isExact()),
            ("a relative path counts, and one in a folder that is open", knowsRelativePaths()),
            ("a hung call goes on once it may, with its result", resumes()),
            ("four calls hang at once, and others go on", hangsFour()),
            ("a slow call takes at least its time", isSlow()),
            ("a call to a port fails", knowsPorts()),
            ("a socket that does not block does not hang", leavesSocketsAlone()),
            ("no thread, no memory, no name", refuses()),
            ("a fault that is removed again leaves the next one alone", isRemovedOnce()),
            ("another process has the same faults, and may be killed", try isShared()),
        ]
        for (name, holds) in checks where !holds { say("not so: \(name)") }
        say("checks=\(checks.count)")
    }

    private func failsInTurn() -> Bool {
        let fault = Fault("fail=EIO open \(path) 2 2")
        let results = (0..<4).map { _ in opens(path) }
        return results == [0, EIO, EIO, 0] && fault.remove() == 4 && opens(path) == 0
    }

    private func isExact() -> Bool {
        try? Data().write(to: folder.file("file2"))
        let fault = Fault("fail=EIO open,stat \(path)")
        var attributes = stat()
        return opens(path) == EIO && opens(path + "2") == 0 && stat(path, &attributes) != 0
            && fault.hit == "stat"
    }

    private func knowsRelativePaths() -> Bool {
        let here = FileManager.default.currentDirectoryPath
        defer { chdir(here) }
        let descriptor = open(folder.path, O_RDONLY | O_DIRECTORY)
        defer { close(descriptor) }
        chdir(folder.path)
        let fault = Fault("fail=EIO open,unlink,fstat \(folder.path)")
        var attributes = stat()
        let isHit = unlinkat(descriptor, "file", 0) != 0 && opens("file") == EIO
        return isHit && fstat(descriptor, &attributes) != 0 && fault.remove() == 3
    }

    private func resumes() -> Bool {
        let fault = Fault("hang pread \(path)")
        let text = Background { () -> String in
            let descriptor = open(path, O_RDONLY)
            defer { close(descriptor) }
            var bytes = [UInt8](repeating: 0, count: 7)
            return pread(descriptor, &bytes, 7, 0) == 7 ? String(decoding: bytes, as: UTF8.self) : ""
        }
        let hangs = fault.waitUntilHung(milliseconds: 60_000) && text.result == nil
        fault.remove()
        return hangs && text.wait() == "content" && fault.hung == 0
    }

    private func hangsFour() -> Bool {
        let fault = Fault("hang open \(path) 1 4")
        let openings = (0..<4).map { _ in Background { opens(path) } }
        guard fault.waitUntilHung(4, milliseconds: 60_000), opens(path) == 0 else { return false }
        fault.remove()
        return openings.allSatisfy { $0.wait() == 0 }
    }

    private func isSlow() -> Bool {
        let fault = Fault("slow=20 open \(path)")
        let start = ContinuousClock.now
        return opens(path) == 0 && ContinuousClock.now - start >= .milliseconds(20) && fault.calls == 1
    }

    private func knowsPorts() -> Bool {
        guard let server = try? LoopbackServer() else { return false }
        let fault = Fault("fail=ENETUNREACH connect :\(server.port)")
        let first = connects(to: server.port)
        fault.remove()
        return first == ENETUNREACH && connects(to: server.port) == 0
    }

    private func leavesSocketsAlone() -> Bool {
        var pair: [Int32] = [0, 0]
        socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0, &pair)
        defer { for end in pair { close(end) } }
        let fault = Fault("hang * #\(pair[0])")
        return write(pair[0], "a", 1) == 1 && fault.calls == 0
    }

    private func refuses() -> Bool {
        let faults = [
            Fault("fail=EAGAIN pthread_create *"), Fault("fail=ENOMEM mmap *"),
            Fault("fail=EIO getaddrinfo @a.test"),
        ]
        var thread = pthread_t()
        let noThread = pthread_create(&thread, nil, { _ in nil }, nil)
        // Under a sanitizer, which starts threads by itself.
        if noThread == 0 { pthread_join(thread, nil) }
        let noMemory = mmap(nil, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED
        var found: UnsafeMutablePointer<addrinfo>?
        let noName = getaddrinfo("a.test", nil, nil, &found)
        // A sanitizer has its own.
        let counts = faults.map { $0.remove() }
        return noName == EAI_SYSTEM && (counts[0] == 0 || noThread == EAGAIN && noMemory)
    }

    private func isRemovedOnce() -> Bool {
        var first: Fault? = Fault("fail=EIO open \(path)")
        first?.remove()
        // Has the place of the first.
        let second = Fault("fail=EACCES open \(path)")
        first?.remove()
        first = nil
        return opens(path) == EACCES && second.hit == "open" && second.remove() == 1
    }

    private func isShared() throws -> Bool {
        let table = folder.file("table").path
        guard alcedo_faults_share(table) == 0 else { return false }
        let fault = Fault("hang open \(path)")
        let variables = ["FAULTS_TABLE": table, "PATH": "/usr/bin:/bin"]
        let process = try ChildProcess([CommandLine.arguments[0], "open", path], environment: variables)
        guard fault.waitUntilHung(milliseconds: 60_000) else { return false }
        process.signal(SIGKILL)
        let end = Background { await (try? process.waitForEnd())?.isKilled }
        guard end.wait() == true else { return false }
        fault.remove()
        return opens(path) == 0 && Fault("fail=EIO open \(path)").calls == 0
    }

    /// The error of opening a file, 0 for none.
    func opens(_ path: String) -> Int32 {
        let descriptor = open(path, O_RDONLY)
        guard descriptor >= 0 else { return errno }
        close(descriptor)
        return 0
    }

    private func connects(to port: UInt16) -> Int32 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, length) }
        }
        return status == 0 ? 0 : errno
    }
}
