import Alcedo
import AlcedoLocks
import Foundation

/// Where `get` writes, and in which format.
struct Destination: Sendable {
    private enum Place {
        case standardOutput
        case file(String)
        case folder(String)
    }

    private let place: Place

    /// The requested format, by name or by the output's extension; nil for the image's own.
    let format: EncodedFormat?

    init(_ path: String?, format name: String?, imageCount: Int) throws {
        guard path != "" else { throw UsageError(message: "-o takes a path, not an empty text") }
        guard !FileName.hasControlCharacters(path ?? "") else {
            throw UsageError(message: "-o takes a path without control characters, not “\(path ?? "")”")
        }
        if path == "-" {
            guard imageCount == 1 else { throw UsageError(message: "-o - takes one image") }
            place = .standardOutput
        } else if let path, imageCount == 1, !Self.namesFolder(path) {
            place = .file(path)
        } else {
            place = .folder(path ?? ".")
        }
        if let name {
            guard let format = Self.format(named: name) else {
                throw UsageError(message: "--format takes \(Self.names), not “\(name)”")
            }
            self.format = format
        } else if case .file(let path) = place {
            format = Self.format(named: URL(fileURLWithPath: path).pathExtension)
        } else {
            format = nil
        }
    }

    var isStandardOutput: Bool { if case .standardOutput = place { true } else { false } }

    /// The path to write an image to; `/dev/stdout` for standard output.
    func path(for input: Input, format: EncodedFormat, names: NameRegister) -> String {
        switch place {
        case .standardOutput: return "/dev/stdout"
        case .file(let path): return path
        case .folder(let folder):
            let fileExtension = format == .jpeg ? "jpg" : format.rawValue
            let name = names.claim(stem: input.stem, fileExtension: fileExtension)
            return folder == "." ? name : folder + (folder.hasSuffix("/") ? "" : "/") + name
        }
    }

    /// Throws if the extension of `path` contradicts `format`.
    func check(_ format: EncodedFormat, at path: String) throws {
        let foreign = ["gif", "bmp", "tif", "tiff", "heic", "avif", "jxl", "svg", "svgz", "ico"]
        let name = URL(fileURLWithPath: path).pathExtension.lowercased()
        guard foreign.contains(name), Self.format(ofExtension: name) != format else { return }
        guard Self.format(named: name) == nil else {
            throw Failure(
                "\(path): the image is written as \(format), which the extension contradicts; change one of them"
            )
        }
        throw Failure("\(path): \(name.uppercased()) cannot be written; choose \(Self.names)")
    }

    /// The formats that can be written, such as `gif, jpeg, png or webp`.
    static var names: String {
        let names = codecs.encodableFormats.map(\.rawValue).sorted()
        return names.dropLast().joined(separator: ", ") + " or " + (names.last ?? "")
    }

    private static func format(ofExtension name: String) -> EncodedFormat {
        EncodedFormat(rawValue: ["jpg": "jpeg", "tif": "tiff", "svgz": "svg"][name] ?? name)
    }

    private static func format(named name: String) -> EncodedFormat? {
        let format = format(ofExtension: name.lowercased())
        return codecs.codec(writing: format) == nil ? nil : format
    }

    /// Whether a path names a folder, which need not exist.
    private static func namesFolder(_ path: String) -> Bool {
        ["", ".", ".."].contains(path.split(separator: "/", omittingEmptySubsequences: false).last)
            || FolderMaker.isFolder(path)
    }
}

/// The file names of one run, which are unique.
final class NameRegister: Sendable {
    private let taken = Lock(Set<String>())

    /// Reserves `stem.ext`, or `stem-2.ext` and so on if that is taken.
    func claim(stem: String, fileExtension: String) -> String {
        taken.withLock { taken in
            var name = "\(stem).\(fileExtension)"
            var number = 2
            while !taken.insert(name).inserted {
                name = "\(stem)-\(number).\(fileExtension)"
                number += 1
            }
            return name
        }
    }
}
