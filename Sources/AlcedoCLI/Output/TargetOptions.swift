import Alcedo

/// `--max-bytes` and `--target-ssim` of `get`: what files have to reach.
enum TargetOptions {
    static let options: [Arguments.Option] = [.value("max-bytes"), .value("target-ssim")]

    static let details = """
          --max-bytes N      write files of at most N bytes: those that have more with the highest quality at which
                             they do not, up to --quality; fails if there is none
          --target-ssim S    the smallest file whose picture is this similar to the one that was encoded, from 0 to 1
                             for equal pictures; 0.98 is a good copy. The highest quality, or --quality, if none is
        """

    /// The target; `quality`, from 1 to 100, is the highest that is tried.
    static func target(_ arguments: Arguments, quality: Int?) throws -> EncodeTarget? {
        let count = try arguments.integer("max-bytes", in: 1...Int.max)
        let ssim = try arguments.number("target-ssim", .from(0, to: 1))
        let qualities = 0.01...Double(quality ?? 100) / 100
        switch (count, ssim) {
        case (nil, nil): return nil
        case (let count?, nil): return .size(bytes: count, qualities: qualities)
        case (nil, let ssim?): return .quality(ssim: ssim, qualities: qualities)
        default:
            throw UsageError(
                message: "--max-bytes and --target-ssim exclude each other; omit one of them")
        }
    }
}
