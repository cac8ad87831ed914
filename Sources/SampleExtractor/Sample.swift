import Foundation

/// A Swift sample of a page.
struct Sample {
    /// The line of the page at which `body` starts, from 1.
    let line: Int

    /// The sample, with its imports replaced by empty lines.
    let body: String

    let imports: [String]

    /// The values that it requires, as parameters of a function.
    let needs: String

    /// The samples of a page to compile.
    static func all(in text: String) throws(Mistake) -> [Sample] {
        var samples: [Sample] = []
        var comment: Comment?
        var open: (line: Int, comment: Comment?, lines: [String])?
        for (index, line) in text.components(separatedBy: "\n").enumerated() {
            if var sample = open {
                guard line.hasPrefix("```") else {
                    sample.lines.append(line)
                    open = sample
                    continue
                }
                if sample.comment?.isCompiled != false { samples.append(Sample(sample)) }
                open = nil
            } else if line.hasPrefix("```swift") {
                open = (index + 2, comment, [])
                comment = nil
            } else if line.hasPrefix("<!-- sample") {
                guard let found = Comment(line) else {
                    throw Mistake(line: index + 1, text: "a sample “needs: …”, “: manifest” or “: file …”")
                }
                comment = found
            }
        }
        if let open { throw Mistake(line: open.line, text: "the sample has no end") }
        return samples
    }

    /// An error in a page, with its line.
    struct Mistake: Error {
        let line: Int
        let text: String
    }

    private init(_ found: (line: Int, comment: Comment?, lines: [String])) {
        line = found.line
        needs = found.comment?.needs ?? ""
        imports = found.lines.filter(Self.isImport)
        body = found.lines.map { Self.isImport($0) ? "" : $0 }.joined(separator: "\n")
    }

    private static func isImport(_ line: String) -> Bool { line.hasPrefix("import ") }

    private struct Comment {
        var needs = ""
        var isCompiled = true

        init?(_ line: String) {
            let end = " -->"
            guard line.hasSuffix(end) else { return nil }
            let text = line.dropLast(end.count)
            if text == "<!-- sample: manifest" || text.hasPrefix("<!-- sample: file ") {
                isCompiled = false
            } else if let start = text.range(of: "<!-- sample needs: ") {
                needs = String(text[start.upperBound...])
            } else {
                return nil
            }
        }
    }
}
