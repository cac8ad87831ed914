import AlcedoIsolation
public import AlcedoPixels

/// The worker processes that decode images in isolation; see ``DecodeIsolation``.
///
/// Workers start on first use. They are the programs `alcedo-decode` (JPEG, PNG, GIF and WebP), `alcedo-decode-heif`
/// (HEIC, AVIF, JPEG XL, TIFF and JPEG 2000), `alcedo-decode-svg` and `alcedo-decode-video`. The search path is: ``helperFolder``, the folder of the running
/// program, and `../libexec/alcedo` relative to it.
public enum DecodeSandbox {
    public enum Helper: Sendable, CaseIterable {
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

    /// The first folder in the search path of the helper programs; nil, the default, for none.
    public static var helperFolder: String? {
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
    /// - Throws: ``WorkerFailure/unavailable(reason:)``.
    @discardableResult
    public static func start(_ helper: Helper) throws(WorkerFailure) -> SandboxLevel {
        _ = codecs
        return try helper.group.pool.warmUp()
    }

    /// The sandbox level that this system supports; nil until a worker has started.
    public static func level(of helper: Helper) -> SandboxLevel? { helper.group.pool.level }

    /// Stops idle workers; the next image starts new ones.
    public static func stop() {
        for helper in Helper.allCases { helper.group.pool.end() }
    }
}
