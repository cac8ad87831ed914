import Foundation

/// Seconds on the monotonic clock.
public func now() -> Double { seconds(of: CLOCK_MONOTONIC) }

/// Seconds of processor time that all threads of the process have taken.
public func processorTime() -> Double { seconds(of: CLOCK_PROCESS_CPUTIME_ID) }

/// Seconds of processor time that the calling thread has taken, loading the program included for the first one.
public func threadTime() -> Double { seconds(of: CLOCK_THREAD_CPUTIME_ID) }

private func seconds(of clock: clockid_t) -> Double {
    var time = timespec()
    clock_gettime(clock, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

/// Runs `body` once to warm up, then for `budget=` seconds, a quarter without it, and `runs=` times, three without it; the
/// seconds of each run.
public func measure(_ arguments: Arguments, _ body: () throws -> Void) rethrows -> [Double] {
    let budget = arguments.optional("budget").flatMap { Double($0) } ?? 0.25
    let runs = arguments.number("runs", default: 3)
    try body()
    var times: [Double] = []
    var total = 0.0
    while times.count < runs || total < budget {
        let start = now()
        try body()
        let time = now() - start
        times.append(time)
        total += time
    }
    return times
}

/// Runs `body` once; its seconds.
public func time(_ body: () throws -> Void) rethrows -> Double {
    let start = now()
    try body()
    return now() - start
}

/// Prints the one line that a measurement leaves: its times, the process's peak memory and processor time, and what
/// else there is to say.
///
/// - Parameters:
///   - seconds: of each run, for one unit of the work.
///   - extra: more numbers, by name.
public func report(_ seconds: [Double], _ extra: [String: Double] = [:]) {
    var fields = ["\"seconds\": [\(seconds.map { "\($0)" }.joined(separator: ", "))]"]
    fields.append("\"peak\": \(peakMemory()), \"processor\": \(processorTime())")
    fields += extra.sorted { $0.key < $1.key }.map { "\"\($0.key)\": \($0.value)" }
    print("{\(fields.joined(separator: ", "))}")
}
