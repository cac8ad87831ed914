import AlcedoIsolation
public import AlcedoPixels

extension DecodeSandbox {
    /// A program that decodes images in worker processes, which start on first use.
    ///
    /// The search path is: ``DecodeSandbox/programFolder``, the folder of the running program, and `../libexec/alcedo`
    /// relative to it.
    public enum Program: Sendable, CaseIterable {
        /// `alcedo-decode`: JPEG, PNG, GIF and WebP.
        case common
        /// `alcedo-decode-heif`: HEIC, AVIF, JPEG XL, TIFF and JPEG 2000.
        case heif
        /// `alcedo-decode-svg`: SVG.
        case svg
        /// `alcedo-decode-video`: frames of videos.
        case video

        fileprivate var group: DecoderGroup {
            switch self {
            case .common: .common
            case .heif: .heavy
            case .svg: .svg
            case .video: .video
            }
        }
    }

    /// The first folder in the search path of the programs; nil, the default, for none.
    public static var programFolder: String? {
        get { HelperFolder.named }
        set { HelperFolder.named = newValue }
    }

    /// The memory limit of each worker in bytes; by default half of this process's limit, at most 4 GiB.
    ///
    /// Changes apply to workers that start later.
    public static var memoryLimit: Int {
        get {
            _ = codecs
            return HelperFolder.memoryLimit
        }
        set {
            _ = codecs
            HelperFolder.memoryLimit = newValue
        }
    }

    /// Starts a worker before its first image, and blocks until it is ready.
    ///
    /// - Returns: the sandbox level that this system supports.
    /// - Throws: ``DecodeSandbox/Failure/unavailable(reason:)``.
    @discardableResult
    public static func start(_ program: Program) throws(Failure) -> Level {
        _ = codecs
        return try program.group.pool.warmUp()
    }

    /// The sandbox level that this system supports; nil until a worker has started.
    public static func level(of program: Program) -> Level? { program.group.pool.level }

    /// Stops idle workers; the next image starts new ones.
    public static func stop() {
        for program in Program.allCases { program.group.pool.end() }
    }

    /// How often the workers of a helper program have failed for one reason.
    package struct Failures: Sendable {
        package let helper: String
        package let reason: String
        package let count: Int
    }

    package static var failures: [Failures] {
        Program.allCases.flatMap { program in
            program.group.pool.failures.map {
                Failures(helper: program.group.helper, reason: $0.reason, count: $0.count)
            }
        }
    }
}
