import Alcedo

/// The option `--page`: which picture of a file is the image.
enum PageOption {
    static let option = Arguments.Option.value("page")

    static let details = """
          --page N           the page of a TIFF, the size of an icon, the picture of a HEIC or an AVIF, or the frame of an
                             animation, from 0; by default what programs show
        """

    /// The number; nil without the option.
    static func page(_ arguments: Arguments) throws -> Int? {
        try arguments.integer(option.name, in: 0...1_000_000)
    }
}
