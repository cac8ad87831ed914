import Alcedo

/// `alcedo strip`: removes metadata from files, whose pixels stay as they are.
struct StripCommand: Command {
    static let name = "strip"
    static let synopsis = "strip URL|FILE|-… [-o PATH] [--metadata WHAT] [OPTION]…"
    static let summary = "Removes metadata from images without encoding them again."
    static let details = """
        - is standard input.

          -o, --output PATH  as of alcedo get
          --force            replace existing files in the folder, and images by their results
          --metadata none|copyright|all-but-place
                             what to keep of EXIF, XMP and IPTC; nothing by default
        \(Jobs.details)
        \(LoadOptions.details)
          --json             print one JSON object for each image, and for each failure

        For JPEG, PNG, WebP, HEIC, AVIF and JPEG XL. Also removes comments, thumbnails, and what follows a JPEG's
        end: gain maps, previews, films. Orientations and colour profiles stay. Results are named as by alcedo get.
        """
    static let examples = [
        Example(
            #"alcedo strip photo.jpg -o public.jpg"#,
            "writes the same picture without metadata"),
        Example(
            #"alcedo strip --metadata all-but-place --force *.jpg"#,
            "removes from pictures where they were taken"),
    ]
    static let options: [Arguments.Option] =
        [.value("output", "o"), MetadataOption.option, .flag("force"), .flag("json"), Jobs.option]
        + LoadOptions.options

    private let get: GetCommand

    init(_ arguments: Arguments) throws {
        get = try GetCommand(arguments, name: Self.name, metadata: MetadataPolicy.none)
    }

    func run() async throws -> ExitCode { try await get.run() }
}
