import AlcedoPixels
import CIsolation
import Glibc
import Synchronization

/// The codecs that share a helper program.
package final class DecoderGroup: Sendable {
    /// JPEG, PNG, GIF and WebP.
    package static let common = DecoderGroup("alcedo-decode", isIsolatedByDefault: false)

    /// HEIC, AVIF and JPEG XL.
    package static let heavy = DecoderGroup("alcedo-decode-heif", isIsolatedByDefault: true)

    /// SVG, whose text needs the user's fonts.
    package static let svg = DecoderGroup("alcedo-decode-svg", isIsolatedByDefault: true, variables: fonts)

    /// What says which fonts there are, and for which language.
    static let fonts = [
        "HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "FONTCONFIG_PATH", "FONTCONFIG_FILE",
        "LANG", "LC_ALL", "LC_CTYPE", "LANGUAGE",
    ]

    /// All of them.
    package static let all = [common, heavy, svg]

    /// The program's name.
    package let helper: String

    /// The processes that decode.
    package let pool: DecoderPool

    private let isIsolatedByDefault: Bool
    private let hasWarnedOfAbsence = Atomic(false)
    private let hasWarnedOfLevel = Atomic(false)

    /// A group with its workers.
    ///
    /// - Parameters:
    ///   - helper: the program's name, or its path.
    ///   - isIsolatedByDefault: whether its codecs are isolated where nobody says.
    ///   - variables: those of the environment that its program is given.
    ///   - workers: the most processes.
    ///   - memoryLimit: bytes that each of them may use.
    package init(
        _ helper: String, isIsolatedByDefault: Bool, variables: [String] = [], workers: Int? = nil,
        memoryLimit: Int? = nil
    ) {
        self.helper = helper
        self.isIsolatedByDefault = isIsolatedByDefault
        let cores = max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))
        pool = DecoderPool(limit: workers ?? max(2, cores)) {
            guard let path = HelperFolder.path(of: helper) else { return nil }
            let environment = variables.compactMap { name in
                getenv(name).map { "\(name)=\(String(cString: $0))" }
            }
            let limit = memoryLimit ?? HelperFolder.memoryLimit
            return Worker.Launch(path: path, environment: environment, memoryLimit: limit)
        }
    }

    /// Whether a worker is to decode; also where there is none, and somebody has to be told.
    func isIsolated(_ isolation: DecodeIsolation) -> Bool {
        switch isolation {
        case .inProcess: false
        case .automatic: isIsolatedByDefault
        case .isolated, .required: true
        }
    }

    /// Whether there is no helper program, and was none before.
    var isAbsent: Bool { pool.level == nil && !pool.isInstalled }

    /// Says once that images are decoded in this process.
    func warn(of reason: String) {
        guard !hasWarnedOfAbsence.exchange(true, ordering: .relaxed) else { return }
        warn("images are decoded without \(helper), in this process (\(reason))")
    }

    /// Says once if workers may use every system call.
    func checkLevel() {
        guard pool.level == .process, alcedo_is_sanitized() == 0,
            !hasWarnedOfLevel.exchange(true, ordering: .relaxed)
        else { return }
        warn("this system does not let \(helper) restrict its system calls; only memory and time are limited")
    }

    private func warn(_ text: String) {
        let line = "Alcedo: \(text).\n"
        // Nobody may read the other end of a pipe.
        guard alcedo_is_writable(STDERR_FILENO) == 1 else { return }
        _ = Array(line.utf8).withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}
