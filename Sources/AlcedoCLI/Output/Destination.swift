import Alcedo
import Foundation
import Glibc

/// Where `get` writes, and in which format.
///
/// Without `--force` only a file that `-o` names is replaced, and an image only under its own name.
struct Destination: Sendable {
    private enum Place {
        case standardOutput
        case file(String)
        case folder(ResultNames)
    }

    private static let standardOutput = "/dev/stdout"

    private let place: Place
    private let replaces: Bool

    /// The requested format, by name or by the output's extension; nil for the image's own.
    let format: EncodedFormat?

    /// Reads the options.
    ///
    /// - Parameters:
    ///   - path: the value of `-o`.
    ///   - name: the value of `--format`.
    ///   - words: the inputs.
    ///   - replaces: whether `--force` is given.
    /// - Throws: `UsageError`.
    init(_ path: String?, format name: String?, words: [String], replaces: Bool) throws {
        guard path != "" else { throw UsageError(message: "-o takes a path, not an empty text") }
        guard !FileName.hasControlCharacters(path ?? "") else {
            throw UsageError(message: "-o takes a path without control characters, not “\(path ?? "")”")
        }
        self.replaces = replaces
        var format: EncodedFormat?
        if let name {
            format = Self.format(named: name)
            guard format != nil else {
                throw UsageError(message: "--format takes \(Self.names), not “\(name)”")
            }
        }
        if let path, ["-", Self.standardOutput].contains(path) {
            guard words.count == 1 else { throw UsageError(message: "-o - takes one image") }
            place = .standardOutput
        } else if let path, words.count == 1, !Self.namesFolder(path) {
            place = .file(path)
            format = format ?? Self.format(named: (path as NSString).pathExtension)
        } else {
            if path == nil { try Self.check(lastOf: words) }
            place = .folder(
                ResultNames(
                    of: words, in: path ?? ".", fileExtension: format.map(\.fileExtension),
                    replacesInput: replaces))
        }
        self.format = format
    }

    /// Throws if the last of several words looks like an output, as other programs take it.
    private static func check(lastOf words: [String]) throws {
        guard words.count > 1, let word = words.last, URLText.scheme(of: word) == nil,
            format(named: (word as NSString).pathExtension) != nil, access(word.systemBytes, F_OK) != 0,
            errno == ENOENT
        else { return }
        throw UsageError(message: "\(word) does not exist; to write that file, use -o \(word)")
    }

    /// The files of `words`, if a result might replace one of another.
    func inputFiles(of words: [String], within seconds: Double) async throws -> InputFiles {
        guard replaces, words.count > 1, case .folder = place else { return InputFiles() }
        return try await InputFiles(of: words, within: seconds)
    }

    var isStandardOutput: Bool { if case .standardOutput = place { true } else { false } }

    /// Writes the result of the input at `index`; returns its path, `/dev/stdout` for standard output.
    ///
    /// `files` are the ``inputFiles(of:within:)``.
    func write(
        _ data: Data, as format: EncodedFormat, of input: Input, at index: Int, beside files: InputFiles
    ) throws -> String {
        switch place {
        case .standardOutput:
            try FileWriter.print(data)
            return Self.standardOutput
        case .file(let path):
            try check(format, at: path)
            guard replaces || !isLink(path, to: input) else {
                throw Failure(
                    "\(path): it is a link to the image itself; give -o the name of the image, or replace it with --force"
                )
            }
            try FileWriter.replace(data, at: path)
            return path
        case .folder(let names):
            let path = names.path(of: index, fileExtension: format.fileExtension)
            if replaces {
                guard !files.hasOther(than: index, at: path) else {
                    throw Failure(
                        "\(path): it is another of the images, which --force does not replace; give -o another folder"
                    )
                }
                try FileWriter.replace(data, at: path)
            } else {
                try FileWriter.create(data, at: path)
            }
            return path
        }
    }

    /// Whether `path` is a symbolic link that leads to the input, and not the input's own name.
    private func isLink(_ path: String, to input: Input) -> Bool {
        guard let own = input.localPath else { return false }
        var (link, file, source, sourceName) = (stat(), stat(), stat(), stat())
        guard lstat(path.systemBytes, &link) == 0, link.st_mode & S_IFMT == S_IFLNK,
            stat(path.systemBytes, &file) == 0, stat(own.systemBytes, &source) == 0,
            lstat(own.systemBytes, &sourceName) == 0
        else { return false }
        let isSameFile = file.st_ino == source.st_ino && file.st_dev == source.st_dev
        return isSameFile && (link.st_ino != sourceName.st_ino || link.st_dev != sourceName.st_dev)
    }

    /// Throws if the extension of `path` contradicts `format`.
    private func check(_ format: EncodedFormat, at path: String) throws {
        let foreign = ["gif", "bmp", "tif", "tiff", "heic", "avif", "jxl", "svg", "svgz", "ico"]
        let name = (path as NSString).pathExtension.lowercased()
        guard foreign.contains(name), EncodedFormat(fileExtension: name) != format else { return }
        guard Self.format(named: name) == nil else {
            throw Failure(
                "\(path): the image is written as \(format), which the extension contradicts; change one of them"
            )
        }
        throw Failure("\(path): \(name.uppercased()) cannot be written; choose \(Self.names)")
    }

    /// The formats that can be written.
    static var formats: [String] { codecs.encodableFormats.map(\.rawValue).sorted() }

    /// The formats that can be written, such as `gif, jpeg, png or webp`.
    static var names: String {
        let names = formats
        return names.dropLast().joined(separator: ", ") + " or " + (names.last ?? "")
    }

    private static func format(named name: String) -> EncodedFormat? {
        // A codec of the program's own may write others than those that are known here.
        let format = EncodedFormat(fileExtension: name) ?? EncodedFormat(rawValue: name.lowercased())
        return codecs.codec(writing: format) == nil ? nil : format
    }

    /// Whether a path names a folder, which need not exist.
    private static func namesFolder(_ path: String) -> Bool {
        ["", ".", ".."].contains(path.split(separator: "/", omittingEmptySubsequences: false).last)
            || FolderMaker.isFolder(path)
    }
}
