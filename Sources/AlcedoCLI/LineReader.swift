import Alcedo
import Glibc

/// The lines of a file without empty lines and comments, read on demand; ends if the task is cancelled.
final class LineReader: Sequence, IteratorProtocol {
    private let path: String
    private let file: OpenDescriptor
    private var buffer: [UInt8] = []
    private var isAtEnd = false

    /// Why the lines ended before the end of the file.
    private(set) var failure: Failure?

    /// Opens a file; `-` is standard input.
    init(path: String) throws(Failure) {
        // The open of a named pipe would block until someone writes to it; `read` waits with `poll`.
        let descriptor =
            path == "-" ? dup(STDIN_FILENO) : open(path.systemBytes, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        var status = stat()
        guard descriptor >= 0, fstat(descriptor, &status) == 0 else {
            throw Failure("\(path): cannot be read (\(String(cString: strerror(errno))))")
        }
        self.path = path
        file = OpenDescriptor(descriptor)
        guard status.st_mode & S_IFMT != S_IFDIR else {
            throw Failure("\(path): cannot be read (it is a folder)")
        }
    }

    /// The next line that is neither empty nor a comment, without white space around it.
    func next() -> String? {
        while let line = nextLine() {
            let text = String(decoding: line, as: UTF8.self)
                .drop { $0.isWhitespace || $0 == "\u{FEFF}" }
            let end = text.lastIndex { !$0.isWhitespace }
            if let end, text.first != "#" { return String(text[...end]) }
        }
        return nil
    }

    private func nextLine() -> ArraySlice<UInt8>? {
        while true {
            if let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
                defer { buffer.removeFirst(end + 1) }
                return buffer[..<end]
            }
            guard !isAtEnd, fill() else {
                isAtEnd = true
                defer { buffer = [] }
                return buffer.isEmpty ? nil : buffer[...]
            }
        }
    }

    /// Waits for input; false at the end, and after a failure.
    private func fill() -> Bool {
        do throws(Failure) {
            guard let chunk = try file.read(), !chunk.isEmpty else { return false }
            buffer += chunk
            return true
        } catch {
            failure = Failure("\(Failure.subject(of: path)): \(error.message)")
            return false
        }
    }
}
