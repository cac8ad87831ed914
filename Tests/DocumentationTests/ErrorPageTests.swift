import Alcedo
import Foundation
import Testing

/// The page “Questions and error messages”; `scripts/check.sh` checks that no case is missing there.
struct `The page of error messages` {
    /// A row of the page: the text, with “…” for what differs, and the case.
    private struct Row {
        let text: String
        let name: String

        func fits(_ message: String) -> Bool {
            var rest = message[...]
            for (place, part) in text.components(separatedBy: "…").enumerated() {
                guard let range = rest.range(of: part) else { return part.isEmpty }
                guard place > 0 || range.lowerBound == rest.startIndex else { return false }
                rest = rest[range.upperBound...]
            }
            return true
        }
    }

    private static let rows: [Row] = {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let page = root.appending(path: "Sources/Alcedo/Alcedo.docc/Questions.md")
        let text = (try? String(contentsOf: page, encoding: .utf8)) ?? ""
        return text.split(separator: "\n").compactMap { line in
            let cells = line.components(separatedBy: " | ")
            guard cells.count == 3, line.hasPrefix("| "), cells[1].hasPrefix("`") else { return nil }
            return Row(text: String(cells[0].dropFirst(2)), name: cells[1].filter { $0 != "`" })
        }
    }()

    @Test(arguments: ErrorSamples.all)
    func `the page of error messages has each error's text and case`(name: String, error: any Error) {
        let message = error.localizedDescription
        let text = error is CodecError || error is DecodeSandbox.Failure ? "\(error)" : message
        let rows = Self.rows.filter { $0.name == name }
        #expect(rows.contains { $0.fits(text) }, "\(name): “\(text)” is none of \(rows.map(\.text))")
    }

    @Test func `each row of the page of error messages is tried by an error`() {
        // Their values need a running task or other failing parts.
        let untried: Set = [
            "RequestErrorReason.taskCancelled", "ResponseErrorReason.noURLResponse",
            "ResponseErrorReason.dataModifyingFailed", "ThumbnailImageDataProviderError.invalidImageSource",
            "ThumbnailImageDataProviderError.invalidThumbnail",
            "ThumbnailImageDataProviderError.writeDataError",
            "ThumbnailImageDataProviderError.finalizeDataError", "CodecError.sandboxFailed",
        ]
        let tried = untried.union(ErrorSamples.all.map(\.0))
        #if Memcached
            #expect(Set(Self.rows.map(\.name)).subtracting(tried) == [])
        #endif
        #expect(Self.rows.count > 100)
    }
}
