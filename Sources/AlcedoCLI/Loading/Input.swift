import Alcedo
import AlcedoLocks
import Foundation
import Glibc

/// A word of the command line as it may be printed: a URL without user info, and without a query that may be a credential.
func shown(_ word: String) -> String {
    let text = URLText.cleaned(word)
    let scheme = text.utf8.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: ":") }
    // A path may have a colon, but not in a first part that could be a drive or a scheme.
    let hasScheme = scheme.count > 1 && text.utf8.dropFirst(scheme.count).first == UInt8(ascii: ":")
    // A URL whose scheme was forgotten is read as a path.
    guard hasScheme || text.utf8.starts(with: "//".utf8) else { return word }
    let url = ShownURL(text)
    return url.isWhole ? word : url.description
}

/// A word of the command line that names an image: a URL, a path, or `-` for standard input.
struct Input: Sendable {
    /// The word for standard input.
    static let standardInput = "-"

    /// The word as it was given.
    let word: String

    /// The URL to load, and the key in the cache.
    private(set) var url: URL

    /// The word if it is a path.
    let path: String?

    /// The path of a file, also if the word is its URL.
    let localPath: String?

    /// What reads standard input or a named pipe, or keeps a file open whose name no URL can have.
    private var file: OpenDescriptor?

    /// Whether the image comes from a pipe, and so perhaps from the network.
    private(set) var isPipe = false

    /// Reads a word; opens nothing.
    init(_ word: String) throws(Failure) {
        guard !word.isEmpty else { throw Failure("“” is not a URL") }
        self.word = word
        if URLText.scheme(of: word) != nil {
            let text = URLText.cleaned(word)
            if let host = text.firstMatch(of: /^file:\/\/([^\/?#]*)/.ignoresCase())?.1,
                !host.isEmpty, host.lowercased() != "localhost"
            {
                throw Failure(
                    "\(shown(word)): the file is on another host, and only local files can be read; "
                        + "write file:///PATH, or an http or https URL")
            }
            guard let url = URLText(cleaned: text).url else { throw Failure("\(shown(word)): not a URL") }
            self.url = url
            path = nil
            localPath = url.isFileURL ? url.filePath : nil
        } else {
            // Otherwise Foundation looks at the file, whose disk may hang.
            url = URL(fileURLWithPath: word, isDirectory: false)
            path = word
            localPath = word
        }
    }

    /// Opens what the word names, if it needs to be: standard input, a named pipe, a file whose name is not UTF-8.
    ///
    /// The file system may take so many seconds to find it.
    static func open(_ word: String, within seconds: Double) async throws -> Input {
        var input = try Input(word)
        guard let path = input.path else { return input }
        if word == standardInput {
            guard isatty(STDIN_FILENO) == 0 else {
                throw Failure("standard input is a terminal; pipe an image to it, or name a file")
            }
            let descriptor = dup(STDIN_FILENO)
            guard descriptor >= 0 else {
                throw Failure("standard input: it cannot be read (\(String(cString: strerror(errno))))")
            }
            input.file = OpenDescriptor(descriptor)
            input.isPipe = true
            return input
        }
        guard let (file, isPipe) = try await find(path, within: seconds) else { return input }
        (input.file, input.isPipe) = (file, isPipe)
        if !isPipe { input.url = URL(fileURLWithPath: "/proc/self/fd/\(file.number)") }
        return input
    }

    var source: Source {
        guard isPipe, let file else { return url.convertToSource() }
        return .provider(PipeProvider(file: file, name: Failure.subject(of: word)))
    }

    /// How the cache is used: a file is read anew each time, because it may have changed.
    var cacheOptions: KingfisherOptionsInfo { url.isFileURL ? [.forceRefresh, .cacheMemoryOnly] : [] }

    /// The last part of the path without its extension, fit for a file name.
    var stem: String {
        guard url.scheme != "data", !isPipe, word != Self.standardInput else { return "image" }
        let name = path.map { URL(fileURLWithPath: $0, isDirectory: false) } ?? url
        return FileName.stem(name.deletingPathExtension().lastPathComponent)
    }

    /// The words of a command that reads images; standard input can be one of them, once.
    static func words(of arguments: Arguments) throws -> [String] {
        guard arguments.operands.count(where: { $0 == standardInput }) <= 1 else {
            throw UsageError(message: "- is standard input, which can be read only once")
        }
        return arguments.operands
    }
}

extension Input {
    /// Opens a named pipe, or a file whose name is not UTF-8; nil for other paths.
    private static func find(_ path: String, within seconds: Double) async throws -> (OpenDescriptor, Bool)? {
        try await waiting(forFileAt: path, within: seconds) { find(path) }
    }

    /// Calls `body`, which waits for the file system of the file at `path`, on a thread for files.
    static func waiting<Value: Sendable>(
        forFileAt path: String, within seconds: Double, _ body: @escaping @Sendable () -> Value
    ) async throws -> Value {
        let found = OneShot<Value, any Error>()
        return try await withTaskCancellationHandler {
            FileQueue.files.run(path, limits: FileLimits(seconds: seconds)) { _ in
                .success(body())
            } then: {
                found.finish($0.mapError { $0 })
            }
            return try await found.value()
        } onCancel: {
            found.finish(.failure(CancellationError()))
        }
    }

    private static func find(_ path: String) -> (OpenDescriptor, Bool)? {
        var status = stat()
        // Whoever loads it reports what is wrong.
        guard stat(path.systemBytes, &status) == 0 else { return nil }
        let isPipe = status.st_mode & S_IFMT == S_IFIFO
        guard isPipe || path.hasForeignBytes else { return nil }
        // The open of a pipe would block until someone writes to it; reads wait, and can be cancelled.
        let descriptor = Glibc.open(path.systemBytes, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        return descriptor < 0 ? nil : (OpenDescriptor(descriptor), isPipe)
    }
}

/// The bytes of standard input or of a named pipe.
private struct PipeProvider: ImageDataProvider {
    let file: OpenDescriptor
    let name: String

    /// In messages too; nothing is found by it, because a pipe is read anew each time.
    var cacheKey: String { name }

    func data() async throws -> Data {
        let limit = DecodeLimits().encodedBytes
        var data = Data()
        while let chunk = try file.read(), !chunk.isEmpty {
            data += chunk
            guard data.count <= limit else { throw TransportError.tooLarge(limit: limit, url: name) }
        }
        try Task.checkCancellation()
        guard !data.isEmpty else {
            throw Failure("\(name): it is empty; the command before it has sent no image")
        }
        return data
    }
}
