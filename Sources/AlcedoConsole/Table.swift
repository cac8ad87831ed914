/// A text table: the first column is left-aligned, the others are right-aligned.
package struct Table: Sendable {
    private var rows: [[String]]

    package init(_ heading: [String]) {
        rows = [heading]
    }

    package mutating func add(_ row: [String]) { rows.append(row) }

    /// The formatted table, with a rule below the header.
    package var text: String {
        let columns = rows.map(\.count).max() ?? 0
        let widths = (0..<columns).map { column in
            rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0
        }
        var lines = rows.map { row in
            row.enumerated().map { column, cell in
                let space = String(repeating: " ", count: widths[column] - cell.count)
                return column == 0 ? cell + space : space + cell
            }.joined(separator: "  ")
        }
        lines.insert(widths.map { String(repeating: "─", count: $0) }.joined(separator: "  "), at: 1)
        return lines.joined(separator: "\n") + "\n"
    }
}
