/// Whether images are decoded in this process or in a worker process, whose crash does not affect the program.
///
/// Workers are programs of their own, restricted as far as the system allows; see ``DecodeSandbox/Level``. If the program
/// is not installed or has never started, images are decoded in this process, and a ``Diagnostic`` is sent once. After a
/// worker has started once, images fail while there is none. Frames of videos are always decoded in a worker.
///
/// It applies to what decodes through a `CodecRegistry`, as every image and load does. A codec that a program calls
/// directly decodes in this process.
public enum DecodeSandbox: Hashable, Sendable {
    /// HEIC, AVIF, JPEG XL, TIFF, JPEG 2000 and SVG in a worker if its program is installed; all else in this process. The default.
    case automatic

    /// Everything in this process.
    case off

    /// Every format of Alcedo's in a worker if its program is installed.
    case preferred

    /// Every image in a worker with at least ``DecodeSandbox/Level/systemCalls``.
    ///
    /// Without one, decoding fails with ``DecodeSandbox/Failure/unavailable(reason:)``, and so does an image of a codec that
    /// a program registered: such a codec can't decode in a worker.
    case required

    /// How far a worker process is restricted, from the least to the most.
    public enum Level: Int, Comparable, Sendable {
        /// A process with limits on memory, files and processor time.
        case process = 1

        /// It also may use a short list of system calls only (seccomp).
        case systemCalls

        /// It also has no access to files, but that for SVG reads the system's fonts (Landlock).
        case files

        /// Whether `a` restricts less than `b`.
        public static func < (a: Level, b: Level) -> Bool { a.rawValue < b.rawValue }
    }
}

extension DecodeSandbox {
    /// Why a worker process has not decoded an image.
    public enum Failure: Error, Hashable, Sendable {
        /// A signal ended the worker: `SIGSEGV` and `SIGABRT` after a mistake of the decoder's, `SIGSYS` after a system call
        /// that the sandbox denies, `SIGKILL` where the system had no memory left.
        case died(signal: Int32)

        /// The worker exited without a result.
        case exited(status: Int32)

        /// The worker did not respond in time and was killed.
        case timedOut(seconds: Double)

        /// The worker used more memory than it may have and was killed.
        case outOfMemory(byteCount: Int)

        /// The worker's response was invalid, and it was killed.
        case invalidResponse(reason: String)

        /// The same bytes have ended a worker in the last ten minutes, and are not decoded again until then.
        case quarantined

        /// Too many images wait for a worker.
        case busy(waiting: Int)

        /// No worker with the required restrictions can be started.
        case unavailable(reason: String)
    }
}

extension DecodeSandbox.Failure: CustomStringConvertible {
    /// A sentence without a final stop.
    public var description: String {
        switch self {
        case .died(let signal): "the worker process that decoded it was ended by \(Self.name(of: signal))"
        case .exited(let status): "the worker process that decoded it ended with status \(status)"
        case .timedOut(let seconds):
            "the worker process that decoded it was killed after \(seconds) seconds, which DecodeLimits.seconds can raise"
        case .outOfMemory(let byteCount):
            "the worker process that decoded it was killed as it took more than \(byteCount >> 20) MiB of memory"
        case .invalidResponse(let reason):
            "the worker process that decoded it was killed after an invalid response (\(reason))"
        case .quarantined: "it has ended a worker process before and is not decoded again for ten minutes"
        case .busy(let waiting): "\(waiting) images wait for a worker process already; try again later"
        case .unavailable(let reason): "no worker process can decode it (\(reason))"
        }
    }

    private static func name(of signal: Int32) -> String {
        switch signal {
        case 4: "SIGILL"
        case 5: "SIGTRAP"
        case 6: "SIGABRT"
        case 7: "SIGBUS"
        case 8: "SIGFPE"
        case 9: "SIGKILL"
        case 11: "SIGSEGV"
        case 24: "SIGXCPU"
        case 25: "SIGXFSZ"
        case 31: "SIGSYS"
        default: "signal \(signal)"
        }
    }
}
