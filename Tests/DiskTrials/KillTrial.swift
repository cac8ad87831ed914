import Alcedo
import AlcedoTestSupport
import Foundation
import Glibc

/// A process that stores one value after the other is killed at any moment, again and again.
struct KillTrial {
    let folder: String
    let limit: UInt

    private static let keys: UInt64 = 40

    /// Bytes of about ten values, which the processes must get to store together; over half of the limit.
    private static let enough: UInt = 300_000

    func run(_ count: Int) async throws {
        let storage = try storage()
        // Microseconds until a process is killed, at most: enough for some values, on a slow machine as well.
        var patience: UInt32 = 4000
        var most = 0
        var stored: UInt = 0
        // The next process starts while one stores, so that its start takes no time.
        var next = try StoringProcess(of: self, round: 1)
        for round in 1...count {
            if round % 10 == 0, stored < Self.enough {
                stored = try max(stored, storage.totalSize())
                if stored < Self.enough, patience < 1 << 18 { patience *= 2 }
            }
            let process = next
            try process.release(toBeKilledAfter: UInt32.random(in: 1...patience))
            // Each one goes on from another place.
            next = try StoringProcess(of: self, round: round + 1)
            try await process.waitForKill()
            most = max(most, sizeOfAll(in: storage.directoryURL))
        }
        next.kill()
        try await next.waitForKill()
        let left = try FileManager.default.contentsOfDirectory(atPath: storage.directoryURL.path)
        var found = 0
        for key in 0..<Self.keys {
            guard let data = try storage.value(forKey: "\(key)") else { continue }
            found += 1
            if !TrialValue.isWhole(data, key: key) { print("\(key) has wrong bytes") }
        }
        let entries = left.filter { !$0.hasPrefix(".") }.count
        if entries != found { print("\(entries) entries, but \(found) can be read") }
        let halves = left.filter(isTemporary).count
        // The reservations of killed processes count until the next listing.
        _ = try storage.removeSizeExceededValues()
        try storage.store(value: Data([1]), forKey: "at last")
        if try storage.value(forKey: "at last") != Data([1]) { print("nothing can be stored any more") }
        try sweepLater()
        print("kills=\(count) entries=\(entries) halves=\(halves) most=\(most)")
    }

    /// The bytes of all files, those that are half-written too.
    private func sizeOfAll(in folder: URL) -> Int {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.reduce(0) { sum, name in
            var attributes = stat()
            return stat(folder.path + "/" + name, &attributes) == 0 ? sum + Int(attributes.st_size) : sum
        }
    }

    /// What a sweep leaves two minutes from now: an empty file of a killed process has a minute's grace.
    private func sweepLater() throws {
        let later = try storage(now: { Date() + 120 })
        _ = try later.removeExpiredValues()
        let left = try FileManager.default.contentsOfDirectory(atPath: later.directoryURL.path)
        for name in left where isTemporary(name) {
            print("\(name) is left")
        }
    }

    private func isTemporary(_ name: String) -> Bool {
        name.hasPrefix(".alcedo-") && name != ".alcedo-size"
    }

    private func storage(now: @escaping @Sendable () -> Date = { Date() }) throws
        -> DiskStorage.Backend<Data>
    {
        var config = DiskStorage.Config(
            name: "kills", sizeLimit: limit, directory: URL(fileURLWithPath: folder))
        config.expiration = .never
        return try DiskStorage.Backend(config: config, now: now)
    }

    /// Stores, reads and removes until the kernel kills it, once its standard input says after how many microseconds.
    func storeForEver(round: UInt64) throws {
        let (storage, parent) = (try storage(), getppid())
        let input = String(decoding: FileHandle.standardInput.availableData, as: UTF8.self)
        guard let time = UInt32(input) else { return }
        try killThisProcess(after: time)
        var number = round &* 7919
        // Not for longer than the trial.
        while getppid() == parent {
            number += 1
            let key = number &* 2_654_435_761 >> 8 % Self.keys
            try? storage.store(value: TrialValue.bytes(key: key, version: number), forKey: "\(key)")
            if number % 5 == 0 { _ = try? storage.value(forKey: "\(key)") }
            if number % 11 == 0 { try? storage.remove(forKey: "\(key)") }
        }
    }
}

/// Has the kernel's timer kill this process, at whichever instruction or call it is by then.
private func killThisProcess(after microseconds: UInt32) throws {
    var event = sigevent()
    (event.sigev_notify, event.sigev_signo) = (Int32(SIGEV_SIGNAL), SIGKILL)
    var timer: timer_t?
    var time = itimerspec()
    time.it_value.tv_sec = Int(microseconds / 1_000_000)
    time.it_value.tv_nsec = Int(microseconds % 1_000_000) * 1000
    guard timer_create(CLOCK_MONOTONIC, &event, &timer) == 0, timer_settime(timer, 0, &time, nil) == 0
    else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
}

/// This program anew, which waits until it may store.
private struct StoringProcess {
    private let process: ChildProcess
    private let start = Pipe()

    init(of trial: KillTrial, round: Int) throws {
        process = try ChildProcess(
            [CommandLine.arguments[0], "store", trial.folder, "\(round)", "\(trial.limit)"],
            input: .handle(start.fileHandleForReading))
    }

    func release(toBeKilledAfter microseconds: UInt32) throws {
        try start.fileHandleForWriting.write(contentsOf: Data("\(microseconds)".utf8))
    }

    func kill() { process.signal(SIGKILL) }

    /// Waits until it is gone; says so if it ended by itself.
    func waitForKill() async throws {
        let end = try await process.waitForEnd()
        if !end.isKilled || end.status != SIGKILL { print("a process ended with \(end.status)") }
    }
}
