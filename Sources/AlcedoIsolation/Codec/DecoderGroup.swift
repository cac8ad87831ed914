import AlcedoLocks
import AlcedoPixels
import CIsolation
import Glibc
import Synchronization

/// The codecs that share a helper program.
package final class DecoderGroup: Sendable {
    /// JPEG, PNG, GIF, WebP, BMP, ICO, QOI, PNM and TGA.
    package static let common = DecoderGroup("alcedo-decode", isIsolatedByDefault: false)

    /// HEIC, AVIF, JPEG XL, TIFF and JPEG 2000.
    package static let heavy = DecoderGroup("alcedo-decode-heif", isIsolatedByDefault: true)

    /// SVG; needs the user's fonts.
    package static let svg = DecoderGroup("alcedo-decode-svg", isIsolatedByDefault: true, variables: fonts)

    package static let video = DecoderGroup("alcedo-decode-video", isIsolatedByDefault: true)

    /// The environment variables that select fonts and language.
    static let fonts = [
        "HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "FONTCONFIG_PATH", "FONTCONFIG_FILE",
        "LANG", "LC_ALL", "LC_CTYPE", "LANGUAGE",
    ]

    package static let all = [common, heavy, svg, video]

    package let helper: String
    package let pool: DecoderPool
    private let isIsolatedByDefault: Bool
    private let hasReportedAbsence = Atomic(false)
    private let hasReportedLevel = Atomic(false)

    /// Creates a group whose `helper`, a program's name or path, gets the environment's `variables` of these names.
    ///
    /// `isIsolatedByDefault` tells whether `.automatic` isolates its codecs. There are at most `workers` processes, by
    /// default one more than the program may use cores; `memoryLimit` is each one's, in bytes.
    package init(
        _ helper: String, isIsolatedByDefault: Bool, variables: [String] = [], workers: Int? = nil,
        memoryLimit: Int? = nil
    ) {
        self.helper = helper
        self.isIsolatedByDefault = isIsolatedByDefault
        pool = DecoderPool(
            // One more, because a worker is idle between a result and the next request (decision 0023).
            limit: workers ?? ProcessorCount.usable + 1, absence: { HelperFolder.absence(of: helper) }
        ) {
            guard let path = HelperFolder.path(of: helper) else { return nil }
            let environment = variables.compactMap { name in
                getenv(name).map { "\(name)=\(String(cString: $0))" }
            }
            let limit = memoryLimit ?? HelperFolder.memoryLimit
            return Worker.Launch(path: path, environment: environment, memoryLimit: limit)
        }
    }

    /// Whether a worker decodes; true even if there is none.
    func isIsolated(_ isolation: DecodeSandbox) -> Bool {
        switch isolation {
        case .off: false
        case .automatic: isIsolatedByDefault
        case .preferred, .required: true
        }
    }

    /// Whether there is no helper program, and was none before.
    var isAbsent: Bool { pool.level == nil && !pool.isInstalled }

    /// Sends a diagnostic, once, that images are decoded in this process.
    func reportAbsence(_ reason: String? = nil) {
        guard !hasReportedAbsence.exchange(true, ordering: .relaxed) else { return }
        let reason = reason ?? HelperFolder.absence(of: helper, isNamed: false)
        Diagnostic.notSandboxed(program: helper, reason: reason).send()
    }

    /// Sends a diagnostic, once, if workers may use all system calls.
    func checkLevel() {
        guard pool.level == .process, alcedo_is_sanitized() == 0,
            !hasReportedLevel.exchange(true, ordering: .relaxed)
        else { return }
        Diagnostic.unrestrictedSystemCalls(program: helper).send()
    }
}
