import Foundation

/// The names of one run's results in a folder: no two are the same, and none is that of an input.
///
/// They depend on the order of the inputs, not on which one is loaded first.
struct ResultNames: Sendable {
    private let folder: String

    /// Whether a result may have the name of its own input.
    private let replacesInput: Bool

    /// The absolute path of each input; empty for those that are no files.
    private let inputs: [String]

    /// How many inputs have a path.
    private let counts: [String: Int]

    /// The name of each result without its extension.
    private var stems: [String] = []

    /// The stems in lower case, because some file systems ignore the case.
    private var taken: Set<String> = []

    /// Names the results of `words`.
    ///
    /// - Parameters:
    ///   - words: the inputs.
    ///   - folder: where the results will be.
    ///   - fileExtension: the extension of all results; nil for those of the inputs.
    ///   - replacesInput: whether a result may have the name of its own input.
    init(of words: [String], in folder: String, fileExtension: String?, replacesInput: Bool) {
        self.folder = folder
        self.replacesInput = replacesInput
        let found = words.map { try? Input($0) }
        inputs = found.map { input in input?.localPath.map(Self.absolute) ?? "" }
        counts = Dictionary(inputs.map { ($0, 1) }, uniquingKeysWith: +)
        for (index, input) in found.enumerated() {
            let own = ((input?.localPath ?? "") as NSString).pathExtension.lowercased()
            let usual = fileExtension ?? (own == "jpeg" ? "jpg" : own)
            let stem = free(input?.stem ?? "image", usual, for: index)
            stems.append(stem)
            taken.insert(stem.lowercased())
        }
    }

    /// The path of the result of the input at `index`.
    func path(of index: Int, fileExtension: String) -> String {
        let stem = stems[index]
        // The input's name may not have said its format.
        let isFree = !isInput(path(stem, fileExtension), besides: index)
        return path(isFree ? stem : free(stem, fileExtension, for: index), fileExtension)
    }

    /// `stem`, or `stem-2` and so on if that is taken or an input.
    private func free(_ stem: String, _ fileExtension: String, for index: Int) -> String {
        var free = stem
        var number = 2
        while taken.contains(free.lowercased()) || isInput(path(free, fileExtension), besides: index) {
            free = "\(stem)-\(number)"
            number += 1
        }
        return free
    }

    private func isInput(_ path: String, besides index: Int) -> Bool {
        let path = Self.absolute(path)
        let own = replacesInput && inputs[index] == path ? 1 : 0
        return (counts[path] ?? 0) > own
    }

    private func path(_ stem: String, _ fileExtension: String) -> String {
        let name = "\(stem).\(fileExtension)"
        return folder == "." ? name : folder + (folder.hasSuffix("/") ? "" : "/") + name
    }

    /// Without a look at the file system, which might hang: a file under two names is found when it is written.
    private static func absolute(_ path: String) -> String {
        var parts: [Substring] = []
        let whole = path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
        for part in whole.split(separator: "/") where part != "." {
            if part == ".." { _ = parts.popLast() } else { parts.append(part) }
        }
        return parts.joined(separator: "/")
    }
}
