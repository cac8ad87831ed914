import Alcedo

enum MetadataOption {
    static let option = Arguments.Option.value("metadata")

    /// The policies by the words of the command.
    private static let policies: [(word: String, policy: MetadataPolicy)] = [
        ("none", .none), ("copyright", .copyright), ("all-but-place", .allButLocation), ("all", .all),
    ]

    static let details = """
          --metadata \(policies.map(\.word).joined(separator: "|"))
                             what to keep of EXIF, XMP and IPTC; the copyright by default, and all of an image that
                             nothing else changes, whose pixels stay as they are; never thumbnails and films. With all
                             and all-but-place, a JPEG that is only resized keeps its gain map
        """

    /// What the option says; nil without it.
    static func policy(_ arguments: Arguments) throws -> MetadataPolicy? {
        guard let text = arguments.value(option.name) else { return nil }
        guard let found = policies.first(where: { $0.word == text }) else {
            let words = policies.map(\.word)
            throw UsageError(
                message:
                    "--metadata takes \(words.dropLast().joined(separator: ", ")) or \(words[words.count - 1]), "
                    + "not “\(text)”")
        }
        return found.policy
    }
}
