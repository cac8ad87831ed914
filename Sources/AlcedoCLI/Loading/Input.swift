import Alcedo
import Foundation

/// A word of the command line as it may be printed: a URL without user info, and without a query that may be a credential.
func shown(_ word: String) -> String {
    let scheme = word.utf8.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: ":") }
    // A path may have a colon, but not in a first part that could be a drive or a scheme.
    let isURL = scheme.count > 1 && word.utf8.dropFirst(scheme.count).first == UInt8(ascii: ":")
    return isURL ? ShownURL(word).description : word
}

/// A word of the command line that names an image: a URL or a path.
struct Input: Sendable {
    /// The word as it was given.
    let word: String

    /// The URL of the argument.
    let url: URL

    /// Reads a word; `-` and the empty word mean nothing.
    init(_ word: String) throws(Failure) {
        guard !word.isEmpty else { throw Failure("“” is not a URL") }
        self.word = word
        if let host = word.firstMatch(of: /^file:\/\/([^\/?#]*)/.ignoresCase())?.1,
            !host.isEmpty, host.lowercased() != "localhost"
        {
            throw Failure(
                "\(shown(word)): the file is on another host, and only local files can be read; "
                    + "write file:///PATH, or an http or https URL")
        }
        if let scheme = word.firstMatch(of: /^([A-Za-z][A-Za-z0-9+.\-]*):/)?.1, scheme.count > 1 {
            guard let url = URL(string: word) else { throw Failure("\(shown(word)): not a URL") }
            self.url = url
        } else {
            url = URL(fileURLWithPath: word)
        }
    }

    /// How the cache is used: a file is read anew each time, because it may have changed.
    var cacheOptions: KingfisherOptionsInfo { url.isFileURL ? [.forceRefresh, .cacheMemoryOnly] : [] }

    /// The last part of the path without its extension, fit for a file name.
    var stem: String {
        guard url.scheme != "data" else { return "image" }
        return FileName.stem(url.deletingPathExtension().lastPathComponent)
    }
}
