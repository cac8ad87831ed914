import AlcedoLocks
import Glibc

/// A condition in which the library continues in a degraded mode.
///
/// Each condition is sent once: per cache, per worker program, per filter, per setting, or per step of a processing.
public enum Diagnostic: Sendable, Equatable {
    /// A disk cache can't be written, or not as fast as images arrive: images stay in memory only.
    case memoryOnlyCache(folder: String, reason: String)

    /// A worker program for the sandbox can't be used: images are decoded in this process.
    case notSandboxed(program: String, reason: String)

    /// The system does not let a worker program restrict its system calls: only its memory and time are limited.
    case unrestrictedSystemCalls(program: String)

    /// A filter got parameters that it can't apply: images pass through it unchanged.
    case unfilteredImage(filter: String, reason: String)

    /// A store that machines share has failed: loads continue without it meanwhile.
    case sharedCacheFailed(reason: String)

    /// A setting of a type of Foundation's, or one that only other systems have, has no effect.
    case ignoredSetting(name: String, reason: String)

    /// A processor, or a function that draws, works in 8 bits of sRGB, or a file format has fewer bits or no
    /// colour space: images that were loaded with ``ColorRetention/full`` have no more after it.
    case reducedColor(step: String)

    private static let state = Lock<@Sendable (Diagnostic) -> Void>(printLine)

    /// Receives the diagnostics of the whole process, on any thread; ``printLine(_:)`` by default.
    ///
    /// It must not block.
    public static var handler: @Sendable (Diagnostic) -> Void {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }

    /// Writes one line to the standard error; drops it if that would block.
    @Sendable public static func printLine(_ diagnostic: Diagnostic) {
        var output = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
        guard poll(&output, 1, 0) == 1, output.revents & Int16(POLLOUT) != 0 else { return }
        let line = "Alcedo: \(diagnostic)\n"
        _ = Array(line.utf8).withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }

    package func send() { Self.handler(self) }
}

extension Diagnostic: CustomStringConvertible {
    /// What failed, on what, and the consequence.
    public var description: String {
        switch self {
        case .memoryOnlyCache(let folder, let reason):
            "Could not store images in \(folder): \(reason). Images are kept in memory only."
        case .notSandboxed(let program, let reason):
            "Could not decode in \(program): \(reason). Images are decoded in this process."
        case .unrestrictedSystemCalls(let program):
            "Could not restrict the system calls of \(program) on this system. Only its memory and time are limited."
        case .unfilteredImage(let filter, let reason):
            "Could not apply \(filter), images are left unfiltered: \(reason)"
        case .ignoredSetting(let name, let reason):
            "The setting \(name) has no effect: \(reason)"
        case .sharedCacheFailed(let reason):
            "Could not use the shared cache: \(reason). Loads go on without it while it fails."
        case .reducedColor(let step):
            "Could not keep all of the depth and the colour space of images in \(step): there is no room for more."
        }
    }
}

/// The steps and formats that have reduced a deep image; each is reported once.
package enum ReducingSteps {
    private static let reported = Lock<Set<String>>([])

    package static func report(_ step: String, to send: (Diagnostic) -> Void = { $0.send() }) {
        guard reported.withLock({ $0.insert(step).inserted }) else { return }
        send(.reducedColor(step: step))
    }
}
