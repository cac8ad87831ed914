import Glibc

/// The lines of a file that say something, read as they are needed.
final class LineReader: Sequence, IteratorProtocol {
    private let file: UnsafeMutablePointer<FILE>

    /// Opens a file; `-` is standard input.
    init(path: String) throws(Failure) {
        guard let file = path == "-" ? fdopen(dup(STDIN_FILENO), "r") : fopen(path, "re") else {
            throw Failure("\(path): cannot be read (\(String(cString: strerror(errno))))")
        }
        self.file = file
    }

    deinit { fclose(file) }

    /// The next line that is neither empty nor a comment, without white space around it.
    func next() -> String? {
        var buffer: UnsafeMutablePointer<CChar>?
        var capacity = 0
        defer { free(buffer) }
        while getline(&buffer, &capacity, file) >= 0, let start = buffer {
            let line = String(cString: start).drop(while: \.isWhitespace)
            let end = line.lastIndex { !$0.isWhitespace }
            if let end, line.first != "#" { return String(line[...end]) }
        }
        return nil
    }
}
