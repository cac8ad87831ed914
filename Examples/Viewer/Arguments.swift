#if GTK
    import Foundation

    /// The parsed command line.
    enum Arguments: Equatable {
        case show([URL], screenshot: String?)
        case help
        case version

        static let usage = """
            usage: alcedo-viewer [--] [FILE, FOLDER or URL…]
                   alcedo-viewer --screenshot PNG [--] FILE, FOLDER or URL…   write what the window shows
                   alcedo-viewer --help
                   alcedo-viewer --version

            """

        /// The words of the command line; a file whose name is not UTF-8 has its URL there.
        static var words: [String] {
            (1..<max(1, Int(CommandLine.argc))).compactMap { index in
                CommandLine.unsafeArgv[index].flatMap { word in
                    String(validatingCString: word) ?? File(word: word)?.url?.absoluteString
                }
            }
        }

        /// Nil for invalid arguments.
        init?(_ words: [String]) {
            switch words {
            case ["--help"]: self = .help
            case ["--version"]: self = .version
            default:
                let screenshot = words.first == "--screenshot" ? words.dropFirst().first : nil
                // The name of a file may start with dashes, too.
                let parts = words.dropFirst(screenshot == nil ? 0 : 2)
                    .split(separator: "--", maxSplits: 1, omittingEmptySubsequences: false)
                let urls = parts.joined().map(Self.url)
                guard !parts[0].contains(where: { $0.hasPrefix("--") }), screenshot == nil || !urls.isEmpty
                else { return nil }
                self = .show(urls, screenshot: screenshot)
            }
        }

        private static func url(_ word: String) -> URL {
            if let url = URL(string: word), let scheme = url.scheme, scheme.count > 1 { return url }
            // Otherwise Foundation looks at the file, whose disk may hang.
            return URL(fileURLWithPath: word, isDirectory: false)
        }
    }
#endif
