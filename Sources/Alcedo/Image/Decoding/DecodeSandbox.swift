import AlcedoIsolation
public import AlcedoPixels

/// The worker processes that decode images apart from this process; see ``DecodeIsolation``.
///
/// Nothing is started before the first image needs it. Workers are the programs `alcedo-decode` (JPEG, PNG, GIF and WebP),
/// `alcedo-decode-heif` (HEIC, AVIF and JPEG XL) and `alcedo-decode-svg`. They are looked for in ``helperFolder``, beside
/// the running program, and in `../libexec/alcedo` from there.
public enum DecodeSandbox {
    /// The helper programs.
    public enum Helper: Sendable, CaseIterable {
        /// `alcedo-decode`: JPEG, PNG, GIF and WebP.
        case common
        /// `alcedo-decode-heif`: HEIC, AVIF and JPEG XL.
        case heif
        /// `alcedo-decode-svg`: SVG.
        case svg

        fileprivate var group: DecoderGroup {
            switch self {
            case .common: .common
            case .heif: .heavy
            case .svg: .svg
            }
        }
    }

    /// The folder to look for helper programs in first; nil, the default, for none.
    public static var helperFolder: String? {
        get { HelperFolder.named }
        set { HelperFolder.named = newValue }
    }

    /// Bytes of memory that each worker may use; half of what this process may use by default, at most 4 GiB.
    ///
    /// Counts for workers that are started later.
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

    /// Starts a worker ahead of its first image, and waits until it is ready.
    ///
    /// - Returns: how far this system restricts it.
    /// - Throws: ``WorkerFailure/unavailable(reason:)``.
    @discardableResult
    public static func start(_ helper: Helper) throws(WorkerFailure) -> SandboxLevel {
        _ = codecs
        return try helper.group.pool.warmUp()
    }

    /// How far this system restricts workers; nil until one has been started.
    public static func level(of helper: Helper) -> SandboxLevel? { helper.group.pool.level }

    /// Ends the workers that have no work; the next image starts new ones.
    public static func stop() {
        for helper in Helper.allCases { helper.group.pool.end() }
    }
}
