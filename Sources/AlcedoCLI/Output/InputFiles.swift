import Alcedo
import Glibc

/// A file, whichever of its names it is opened by.
private struct FileIdentity: Hashable, Sendable {
    let device: dev_t
    let number: ino_t

    /// The file at `path`, where a link leads; nil if there is none.
    init?(at path: String) {
        var status = stat()
        guard stat(path.systemBytes, &status) == 0 else { return nil }
        (device, number) = (status.st_dev, status.st_ino)
    }
}

/// The files that the images of one command are in, none of which the result of another image may replace.
///
/// Names don't tell: a link or a file system that ignores the case gives a file a second one.
struct InputFiles: Sendable {
    private var owners: [FileIdentity: Set<Int>] = [:]

    /// No files, where no result can replace an image.
    init() {}

    /// Finds the files of `words` before any of them is replaced; a file system may take so many seconds for each.
    ///
    /// - Throws: `CancellationError`.
    init(of words: [String], within seconds: Double) async throws {
        for (index, word) in words.enumerated() {
            let path = word == Input.standardInput ? "/dev/stdin" : (try? Input(word))?.localPath
            guard let path else { continue }
            do {
                let file = try await Input.waiting(forFileAt: path, within: seconds) {
                    FileIdentity(at: path)
                }
                if let file { owners[file, default: []].insert(index) }
            } catch is CancellationError {
                throw CancellationError()
            } catch {
                // Its load reports that it does not respond; nor would it respond to one that replaces it.
            }
        }
    }

    /// Whether the file at `path` is an image besides the one at `index`.
    func hasOther(than index: Int, at path: String) -> Bool {
        guard !owners.isEmpty, let file = FileIdentity(at: path) else { return false }
        return !(owners[file] ?? []).subtracting([index]).isEmpty
    }
}
