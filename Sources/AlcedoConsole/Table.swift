/// Rows of text in columns: the first column is flush left, the others flush right.
package struct Table: Sendable {
    private var rows: [[String]]

    /// A table with a heading.
    package init(_ heading: [String]) {
        rows = [heading]
    }

    /// Adds a row.
    package mutating func add(_ row: [String]) { rows.append(row) }

    /// The table, with a line under its heading.
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
