import AlcedoLocks
import Dispatch
import Foundation
import Glibc

/// Checks the limits of the system that every command needs.
///
/// Dispatch, which runs Swift's tasks, does not report when they are too low. It waits for ever for a thread that cannot be
/// started, and crashes without a descriptor for its timers, or without /proc, where it reads its threads' states each second.
enum Requirements {
    private static let descriptors: rlim_t = 32

    /// For the pools of Swift and of the library, which have a thread for each processor that they may use, and for single
    /// threads and processes beside them: the network, serial queues of Dispatch's, workers.
    ///
    /// With 4 in place of 12, `alcedo get` passes this check and waits for ever on two processors.
    private static var threads: Int { ProcessorCount.ofSwift + ProcessorCount.usable + 12 }

    /// Throws a ``Failure`` that says what is missing, and how to raise the limit.
    static func check() throws(Failure) {
        guard access("/proc/self/stat", R_OK) == 0 else {
            throw Failure(
                "/proc is not mounted, and Swift's threads need it; mount it (mount -t proc proc /proc)")
        }
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        guard limit.rlim_cur >= descriptors else {
            throw Failure(
                "only \(limit.rlim_cur) files may be open at a time, and \(descriptors) are needed; raise the limit (ulimit -n)"
            )
        }
        let started = startThreads(threads)
        guard started == threads else {
            throw Failure(
                """
                only \(started) of the \(threads) threads that are needed can be started; \
                raise the limit of processes (ulimit -u, or TasksMax of a service), or end some
                """)
        }
    }

    /// Starts so many threads that all exist at the same time, and ends them; returns how many there were.
    private static func startThreads(_ count: Int) -> Int {
        let turnstile = DispatchSemaphore(value: 0)
        var threads: [pthread_t] = []
        for _ in 0..<count {
            var thread = pthread_t()
            let status = pthread_create(
                &thread, nil,
                { turnstile in
                    guard let turnstile else { return nil }
                    let semaphore = Unmanaged<DispatchSemaphore>.fromOpaque(turnstile).takeUnretainedValue()
                    semaphore.wait()
                    semaphore.signal()
                    return nil
                }, Unmanaged.passUnretained(turnstile).toOpaque())
            guard status == 0 else { break }
            threads.append(thread)
        }
        // Releases one thread, which releases the next.
        turnstile.signal()
        for thread in threads { pthread_join(thread, nil) }
        return threads.count
    }
}
